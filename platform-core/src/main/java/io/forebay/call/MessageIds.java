/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import java.util.random.RandomGenerator;

/**
 * Makes UUIDv7 (RFC 9562) that grow: milliseconds, then 74 bits that are random in the first id of
 * a millisecond and grow by a random step in each further one (method 2 of section 6.2). When the
 * clock goes back, it counts on from the latest millisecond. The ids are unique, not secret. For
 * one thread; allocates nothing.
 */
final class MessageIds {

  private static final long VERSION_7 = 0x7000;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long LOW_BITS = 0x3fff_ffff_ffff_ffffL;
  private static final int STEP_BITS = 32;

  private final RandomGenerator random;
  private long millis = -1;
  private long high12;
  private long low62;

  MessageIds(RandomGenerator random) {
    this.random = random;
  }

  void next(long micros) {
    long now = micros / 1_000;
    if (now > millis) {
      millis = now;
      // The top bit stays free, so that there is room to count.
      high12 = random.nextLong() & 0x7ff;
      low62 = random.nextLong() & LOW_BITS;
      return;
    }
    low62 += 1 + (random.nextLong() >>> 64 - STEP_BITS);
    if (low62 > LOW_BITS) {
      low62 &= LOW_BITS;
      if (++high12 > 0xfff) {
        high12 = 0;
        millis++;
      }
    }
  }

  long high() {
    return millis << 16 | VERSION_7 | high12;
  }

  long low() {
    return VARIANT | low62;
  }
}
