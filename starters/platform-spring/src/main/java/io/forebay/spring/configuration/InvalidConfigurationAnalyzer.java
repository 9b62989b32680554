/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the violations instead of a stack trace. */
final class InvalidConfigurationAnalyzer extends AbstractFailureAnalyzer<InvalidConfiguration> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidConfiguration cause) {
    return new FailureAnalysis(
        cause.getMessage(),
        "Change what is listed and start again. All properties, with type and default, are in"
            + " docs/configuration.md.",
        cause);
  }
}
