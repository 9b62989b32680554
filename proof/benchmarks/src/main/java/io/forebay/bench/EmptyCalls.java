/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import org.jspecify.annotations.Nullable;

/** An implementation of the statement interface that does nothing. */
final class EmptyCalls {

  /** Written so that the compiler cannot eliminate the arguments. */
  static volatile Object @Nullable [] last;

  private EmptyCalls() {}

  static void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      executeUpdate(Burst.INSERT, number, Burst.customer(number), burst.amount(number));
    }
  }

  @SuppressWarnings("unused")
  private static void executeUpdate(String sql, Object... args) {
    last = args;
  }
}
