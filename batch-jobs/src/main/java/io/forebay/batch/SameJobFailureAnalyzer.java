/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import org.springframework.batch.core.configuration.DuplicateJobException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports two jobs with one name without a stack trace. */
final class SameJobFailureAnalyzer extends AbstractFailureAnalyzer<DuplicateJobException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, DuplicateJobException cause) {
    return new FailureAnalysis(
        "Two Job beans have the same name: " + cause.getMessage(),
        "Give each job a name of its own where it is built.",
        cause);
  }
}
