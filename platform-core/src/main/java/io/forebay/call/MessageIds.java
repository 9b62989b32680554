/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import java.util.random.RandomGenerator;

/**
 * Makes ascending UUIDv7 (RFC 9562): milliseconds, then 74 bits that are random in the first id of
 * a millisecond and increase by a random step in each further one (method 2 of section 6.2). If the
 * clock is set back, ids continue from the latest millisecond. The ids are unique, not secret. Not
 * thread-safe; allocates nothing.
 */
final class MessageIds {

  private static final long VERSION_7 = 0x7000;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long LOW_62 = 0x3fff_ffff_ffff_ffffL;

  private final RandomGenerator random;

  /**
   * The milliseconds and the upper 12 of the 74 bits in one number, so that a carry of these bits
   * increments the milliseconds.
   */
  private long upper = -1;

  private long lower;

  MessageIds(RandomGenerator random) {
    this.random = random;
  }

  void next(long micros) {
    long millis = micros / 1_000;
    if (millis > upper >> 12) {
      // The highest of the 12 bits stays free, so that there is room to count.
      upper = millis << 12 | random.nextLong() & 0x7ff;
      lower = random.nextLong() & LOW_62;
      return;
    }
    lower += 1 + (random.nextLong() >>> 32);
    if (lower > LOW_62) {
      lower &= LOW_62;
      upper++;
    }
  }

  long high() {
    return upper >> 12 << 16 | VERSION_7 | upper & 0xfff;
  }

  long low() {
    return VARIANT | lower;
  }
}
