/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/**
 * A service gave a call up: its component failed, the call could not be decoded, or an operator
 * failed it. The call is a dead letter, which an operator can replay as a new call.
 */
public final class CallGivenUp extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final String error;
  private final String text;

  CallGivenUp(CallFailure failure) {
    super("the service gave the call up: %s (%s)".formatted(failure.text(), failure.error()));
    this.error = failure.error();
    this.text = failure.text();
  }

  /** Why. */
  public CallFailure failure() {
    return new CallFailure(error, text);
  }
}
