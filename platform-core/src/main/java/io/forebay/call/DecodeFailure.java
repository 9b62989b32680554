/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import org.jspecify.annotations.Nullable;

/**
 * The reason why a message cannot be decoded, thrown where the position of the message is not
 * known.
 */
final class DecodeFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  final transient UndecodableReason reason;
  private final String what;
  private String where = "";

  DecodeFailure(UndecodableReason reason, String what) {
    this(reason, what, null);
  }

  DecodeFailure(UndecodableReason reason, String what, @Nullable Throwable cause) {
    super(what, cause, false, false);
    this.reason = reason;
    this.what = what;
  }

  static DecodeFailure malformed(String what) {
    return new DecodeFailure(UndecodableReason.MALFORMED, what);
  }

  static DecodeFailure wrongType(String expected, String found) {
    return new DecodeFailure(
        UndecodableReason.WRONG_TYPE, "expected " + expected + ", found " + found);
  }

  /** Prepends the enclosing part to the location. */
  DecodeFailure in(String part) {
    where = where.isEmpty() ? part : part + ", " + where;
    return this;
  }

  String text() {
    return where.isEmpty() ? what : where + ": " + what;
  }
}
