/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnacknowledgedTest {

  private static final long BUFFER = 32 << 20;

  /** Kafka takes a whole batch of its buffer for a record that leaves no room for another one. */
  @ParameterizedTest
  @ValueSource(ints = {100, 22_000, 40_000, 60_000, 1 << 20})
  void partitionsWithoutALeaderLeaveRoomForAnotherOne(int bytes) {
    AtomicLong ofQueue = new AtomicLong();
    List<Unacknowledged> stuck =
        Stream.generate(() -> new Unacknowledged(ofQueue)).limit(4).toList();
    int perBatch = Math.max(1, Clients.BATCH_BYTES / (bytes + 70));
    long sent = 0;
    while (stuck.stream().anyMatch(it -> !it.exceedsItsShare(BUFFER))) {
      for (Unacknowledged partition : stuck) {
        if (!partition.exceedsItsShare(BUFFER)) {
          partition.add(sent(bytes));
          sent++;
        }
      }
    }
    long taken = sent / perBatch * Math.max(Clients.BATCH_BYTES, bytes);
    assertThat(taken).isLessThan(BUFFER - Clients.BATCH_BYTES);
  }

  private static KafkaAppender.Sent sent(int bytes) {
    return new KafkaAppender(null).new Sent(0, bytes, 1, null);
  }
}
