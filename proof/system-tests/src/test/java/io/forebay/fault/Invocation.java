/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

/**
 * A statement that is about to be sent.
 *
 * @param number unique in a run; increasing for each sender
 * @param attempt 1, plus one each time a keyed statement is sent again
 * @param target the tally or list it changes, or the number it queries; otherwise {@code -}
 */
record Invocation(long number, int attempt, Kind kind, String target) {

  private static final long OF_SENDER = 10_000_000;
  private static final long OF_PROCESS = 100 * OF_SENDER;

  static Invocation of(long number, Kind kind) {
    return new Invocation(number, 1, kind, "-");
  }

  static Invocation of(long number, Kind kind, String target) {
    return new Invocation(number, 1, kind, target);
  }

  /** The number before the first number of a sender. */
  static long base(int process, int sender) {
    return process * OF_PROCESS + sender * OF_SENDER;
  }

  Invocation again() {
    return new Invocation(number, attempt + 1, kind, target);
  }

  /** Identifies process and sender. */
  long sender() {
    return number / OF_SENDER;
  }
}
