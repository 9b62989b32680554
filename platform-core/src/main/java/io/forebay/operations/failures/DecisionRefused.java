/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.operations.Audit;

/**
 * A message was not replayed, set aside, reopened or discarded, for the reason in the message.
 * Nothing was sent.
 */
public final class DecisionRefused extends RuntimeException implements Audit.Refusal {

  private static final long serialVersionUID = 1;

  public DecisionRefused(String message) {
    super(message);
  }
}
