/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

/** A message was not set aside, reopened or discarded, for the reason in the message. */
public final class DecisionRefused extends RuntimeException {

  private static final long serialVersionUID = 1;

  public DecisionRefused(String message) {
    super(message);
  }
}
