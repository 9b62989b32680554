/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.StartRefused;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the problem without a stack trace; the message also says what to do. */
final class StartRefusedFailureAnalyzer extends AbstractFailureAnalyzer<StartRefused> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StartRefused cause) {
    return new FailureAnalysis(cause.getMessage(), null, cause);
  }
}
