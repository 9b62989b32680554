/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import org.jspecify.annotations.Nullable;

/**
 * The reason why a message cannot be decoded, thrown where the position of the message is not
 * known.
 */
public final class DecodeFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  public final transient UndecodableReason reason;
  private final String what;
  private String where = "";

  public DecodeFailure(UndecodableReason reason, String what) {
    this(reason, what, null);
  }

  public DecodeFailure(UndecodableReason reason, String what, @Nullable Throwable cause) {
    super(what, cause, false, false);
    this.reason = reason;
    this.what = what;
  }

  public static DecodeFailure malformed(String what) {
    return new DecodeFailure(UndecodableReason.MALFORMED, what);
  }

  /** A value whose class refuses it. */
  static DecodeFailure unusable(String what, RuntimeException cause) {
    return new DecodeFailure(
        UndecodableReason.MALFORMED,
        "%s cannot be used (%s)".formatted(what, cause.getClass().getName()),
        cause);
  }

  static DecodeFailure wrongType(String expected, String found) {
    return new DecodeFailure(
        UndecodableReason.WRONG_TYPE, "expected " + expected + ", found " + found);
  }

  /** Prepends the enclosing part to the location. */
  public DecodeFailure in(String part) {
    where = where.isEmpty() ? part : part + ", " + where;
    return this;
  }

  public String text() {
    return where.isEmpty() ? what : where + ": " + what;
  }
}
