/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AppendTimesTest {

  private static final long START = 1_748_779_200_123_456_000L;

  private final AppendTimes times = new AppendTimes(2);

  @Test
  void knowsTheNanosecondsOfTheLastMillisecond() {
    for (long nanos = START; nanos < START + 1_000_000; nanos += 1_001) {
      assertThat(times.appends(1, nanos)).isEqualTo(nanos / 1_000);
    }
    for (long nanos = START; nanos < START + 1_000_000; nanos += 1_001) {
      assertThat(times.nanos(1, nanos / 1_000)).isEqualTo(nanos);
      assertThat(times.nanos(0, nanos / 1_000))
          .as("other partition")
          .isEqualTo(nanos / 1_000 * 1_000);
    }
  }

  @Test
  void anOlderOrForeignMessageHasTheTimeOfItsMicrosecond() {
    times.appends(0, START + 7);
    assertThat(times.nanos(0, START / 1_000 - 1_024)).isEqualTo(START - 1_024_000);
    times.appends(0, START + 1_024_000 + 9);
    assertThat(times.nanos(0, START / 1_000)).isEqualTo(START);
    assertThat(times.nanos(0, START / 1_000 + 1_024)).isEqualTo(START + 1_024_009);
  }

  @Test
  void ofTwoAppendsInOneMicrosecondTheSecondCounts() {
    times.appends(0, START + 7);
    times.appends(0, START + 999);
    assertThat(times.nanos(0, START / 1_000)).isEqualTo(START + 999);
  }
}
