/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/**
 * A service gave a call up, or its component declined it. It gives a call up if its component
 * failed, the call could not be decoded, or an operator failed it: the call is a dead letter then,
 * which an operator can replay as a new call. A call that was declined is not; {@link
 * CallFailure#declined()} of the {@link #failure()} distinguishes them.
 */
public final class CallGivenUp extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final CallFailure failure;

  CallGivenUp(CallFailure failure) {
    super(
        "%s: %s (%s)"
            .formatted(
                failure.declined()
                    ? "the service declined the call"
                    : "the service gave the call up",
                failure.text(),
                failure.error()));
    this.failure = failure;
  }

  /** Why. */
  public CallFailure failure() {
    return failure;
  }
}
