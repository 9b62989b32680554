/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what to change of the database in place of a stack trace. */
final class UnsafeDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<UnsafeDatabase> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, UnsafeDatabase cause) {
    return new FailureAnalysis(
        "The database would lose or expose what Forebay promises to keep:\n\n  - "
            + String.join("\n  - ", cause.violations()),
        "Change what is listed and start again; docs/postgresql.md has a script for PostgreSQL.",
        cause);
  }
}
