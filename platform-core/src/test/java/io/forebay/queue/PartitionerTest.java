/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PartitionerTest {

  /** The values of Kafka's own test of its hash (UtilsTest of kafka-clients). */
  @ParameterizedTest
  @CsvSource({
    "21, -973932308",
    "foobar, -790332482",
    "a-little-bit-long-string, -985981536",
    "a-little-bit-longer-string, -1486304829",
    "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8, -58897971",
    "abc, 479470107",
  })
  void hashesAsTheJavaClientOfKafkaDoes(String key, int hash) {
    assertThat(Partitioner.murmur2(key.getBytes(UTF_8))).isEqualTo(hash);
    for (int partitions : new int[] {1, 2, 3, 7, 12, 100}) {
      assertThat(Partitioner.partition(key, partitions))
          .isEqualTo((hash & 0x7fffffff) % partitions);
    }
  }

  @Test
  void hashesAnIdAsItsSixteenBytes() {
    Random random = new Random(20260114);
    for (int i = 0; i < 10_000; i++) {
      UUID id = new UUID(random.nextLong(), random.nextLong());
      byte[] bytes =
          ByteBuffer.allocate(16)
              .putLong(id.getMostSignificantBits())
              .putLong(id.getLeastSignificantBits())
              .array();
      int partitions = 1 + random.nextInt(64);
      int expected = (Partitioner.murmur2(bytes) & 0x7fffffff) % partitions;
      assertThat(Partitioner.partition(id, partitions)).isEqualTo(expected);
      assertThat(
              Partitioner.partition(
                  id.getMostSignificantBits(), id.getLeastSignificantBits(), partitions))
          .isEqualTo(expected);
    }
  }

  @Test
  void spreadsKeysOverAllPartitions() {
    long[] counts = new long[8];
    IntStream.range(0, 8_000).forEach(i -> counts[Partitioner.partition("customer-" + i, 8)]++);
    for (long count : counts) {
      assertThat(count).isBetween(850L, 1150L);
    }
  }
}
