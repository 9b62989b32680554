/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.time.Duration;

/**
 * How far back each resolution reaches. A series takes four bytes per step, allocated at the start:
 * 29 kB with {@link #DEFAULT}.
 *
 * @param seconds how long steps of a second are kept
 * @param tens how long steps of ten seconds are kept
 * @param minutes how long steps of a minute are kept
 */
public record RingLengths(Duration seconds, Duration tens, Duration minutes) {

  /** 1 hour, 6 hours, 24 hours. */
  public static final RingLengths DEFAULT =
      new RingLengths(Duration.ofHours(1), Duration.ofHours(6), Duration.ofHours(24));

  /**
   * @throws IllegalArgumentException if a length is under a minute, or a coarser resolution reaches
   *     less far back than a finer one
   */
  public RingLengths {
    if (seconds.compareTo(Duration.ofMinutes(1)) < 0
        || tens.compareTo(seconds) < 0
        || minutes.compareTo(tens) < 0
        || minutes.compareTo(Duration.ofDays(366)) > 0) {
      throw new IllegalArgumentException(
          "ring lengths are not allowed (seconds=%s, tens=%s, minutes=%s); each must be at least as long as the one before, from 1 minute to 366 days"
              .formatted(seconds, tens, minutes));
    }
  }
}
