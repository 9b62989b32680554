/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.operations.Audit;

/** A message was not replayed, for the reason in the message. Nothing was appended. */
public final class ReplayRefused extends RuntimeException implements Audit.Refusal {

  private static final long serialVersionUID = 1;

  public ReplayRefused(String message) {
    super(message);
  }
}
