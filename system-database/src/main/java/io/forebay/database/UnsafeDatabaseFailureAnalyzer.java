/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what to change in the database instead of a stack trace. */
final class UnsafeDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<UnsafeDatabase> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, UnsafeDatabase cause) {
    return new FailureAnalysis(
        "The database does not meet Forebay's requirements for durability and security:\n\n  - "
            + String.join("\n  - ", cause.violations()),
        "Fix the listed problems and start again; docs/start.md has a script for PostgreSQL.",
        cause);
  }
}
