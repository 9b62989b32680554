/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.machine.Machine;
import java.time.Duration;
import java.util.function.LongConsumer;

/**
 * Pauses between looks at what wakes no thread: the first one takes 1 ms, each further one twice as
 * long. A pause ends early if the thread is unparked. For one thread.
 */
final class Pauses implements LongConsumer {

  private static final long SHORTEST_NANOS = 1_000_000;

  private final long longest;
  private long next = SHORTEST_NANOS;

  Pauses(Duration longest) {
    this.longest = longest.toNanos();
  }

  /**
   * Pauses.
   *
   * @param deadline the end of the pause at the latest, a value of {@link Machine#nanos}
   */
  @Override
  public void accept(long deadline) {
    Machine.park(Math.min(next, deadline - Machine.nanos()));
    next = Math.min(2 * next, longest);
  }
}
