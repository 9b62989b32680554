/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageIdsTest {

  private static final long START = 1_748_779_200_000_000L;

  private static UUID next(MessageIds ids, long micros) {
    ids.next(micros);
    return new UUID(ids.high(), ids.low());
  }

  private static long millis(UUID id) {
    return id.getMostSignificantBits() >>> 16;
  }

  private static void assertGrows(UUID before, UUID after) {
    // UUID.compareTo compares signed halves; the text compares as the bytes do.
    assertThat(after.toString()).isGreaterThan(before.toString());
    assertThat(after.version()).isEqualTo(7);
    assertThat(after.variant()).isEqualTo(2);
  }

  @Test
  void idsAscendAndAreUnique() {
    SplittableRandom random = new SplittableRandom(1);
    MessageIds ids = new MessageIds(random.split());
    Set<UUID> seen = new HashSet<>();
    long micros = START;
    UUID last = next(ids, micros);
    for (int i = 0; i < 200_000; i++) {
      micros += random.nextInt(3);
      UUID id = next(ids, micros);
      assertGrows(last, id);
      assertThat(seen.add(id)).isTrue();
      last = id;
    }
    assertThat(millis(last)).isEqualTo(micros / 1_000);
  }

  @Test
  void idsAscendWhenTheClockIsSetBack() {
    MessageIds ids = new MessageIds(new SplittableRandom(2));
    UUID last = next(ids, START);
    for (int i = 0; i < 1_000; i++) {
      UUID id = next(ids, START - 3_600_000_000L + i);
      assertGrows(last, id);
      assertThat(millis(id)).isEqualTo(START / 1_000);
      last = id;
    }
    assertThat(millis(next(ids, START + 1_000))).isEqualTo(START / 1_000 + 1);
  }

  @Test
  void aCarryOfTheRandomBitsKeepsTheOrder() {
    // All bits set: the lower half is full from the beginning.
    MessageIds ids = new MessageIds(() -> -1L);
    UUID first = next(ids, START);
    assertThat(first.getMostSignificantBits() & 0xfff).isEqualTo(0x7ff);
    UUID second = next(ids, START);
    assertGrows(first, second);
    assertThat(second.getMostSignificantBits() & 0xfff).isEqualTo(0x800);
    assertThat(millis(second)).isEqualTo(START / 1_000);
  }

  @Test
  void writersThatStartTogetherGiveDifferentIds() {
    Set<UUID> seen = new HashSet<>();
    for (int writer = 0; writer < 1_000; writer++) {
      MessageIds ids = new MessageIds(new SplittableRandom(writer));
      for (int i = 0; i < 10; i++) {
        assertThat(seen.add(next(ids, START))).isTrue();
      }
    }
  }
}
