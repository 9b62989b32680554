/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.queue.QueueFailed;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a queue that cannot be opened, without a stack trace. */
final class QueueFailedFailureAnalyzer extends AbstractFailureAnalyzer<QueueFailed> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, QueueFailed cause) {
    @Nullable Throwable why = cause.getCause();
    return new FailureAnalysis(
        why == null ? cause.getMessage() : "%s (%s)".formatted(cause.getMessage(), why),
        null,
        cause);
  }
}
