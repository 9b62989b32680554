/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the errors of a catalogue instead of a stack trace. */
class CatalogueFailureAnalyzer extends AbstractFailureAnalyzer<CatalogueInvalid> {

  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, CatalogueInvalid cause) {
    return new FailureAnalysis(
        "Door not opened: " + cause.getMessage(),
        "Correct these lines, or configure other files with forebay.door.catalogue.",
        cause);
  }
}
