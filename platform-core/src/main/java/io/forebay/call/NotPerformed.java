/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/**
 * A service gave a call up: its component failed, the call could not be decoded, or an operator
 * failed it. The call is a dead letter, which an operator can replay as a new call.
 */
public final class NotPerformed extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient CallFailure failure;

  NotPerformed(CallFailure failure) {
    super("the call was not performed: %s (%s)".formatted(failure.text(), failure.error()));
    this.failure = failure;
  }

  /** Why. */
  public CallFailure failure() {
    return failure;
  }
}
