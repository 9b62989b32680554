/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.time;

/**
 * The nanoseconds of the messages that this process appended to a queue in the last millisecond. A
 * message itself carries its time in microseconds, which is exact enough for one that waits longer.
 *
 * <p>One word per microsecond of the last 1,024, with that microsecond and the nanoseconds of the
 * last append in it. A word that another microsecond has replaced does not match, and of two
 * appends in one microsecond the second one counts for both: no time is ever wrong by more than the
 * microsecond. That is why plain reads and writes are enough. Thread-safe; allocates nothing.
 */
public final class AppendTimes {

  private static final int SLOT_BITS = 10;
  private static final int SLOTS = 1 << SLOT_BITS;
  private static final int NANO_BITS = 10;
  private static final int NANOS = (1 << NANO_BITS) - 1;

  private final long[] latest;

  public AppendTimes(int partitions) {
    latest = new long[partitions << SLOT_BITS];
  }

  /**
   * Records a message that is about to be appended.
   *
   * @param nanos its time, since 1970
   * @return its time in microseconds
   */
  public long appends(int partition, long nanos) {
    long micros = nanos / 1_000;
    latest[slot(partition, micros)] = micros << NANO_BITS | (nanos - micros * 1_000);
    return micros;
  }

  /**
   * The time of a message in nanoseconds since 1970; if this process did not append it, or not in
   * the last millisecond, the beginning of its microsecond.
   */
  public long nanos(int partition, long micros) {
    long found = latest[slot(partition, micros)];
    return micros * 1_000 + (found >>> NANO_BITS == micros ? found & NANOS : 0);
  }

  private static int slot(int partition, long micros) {
    return partition << SLOT_BITS | (int) micros & SLOTS - 1;
  }
}
