/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.MessageHandler;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IdleTest {

  private final List<Duration> waits = new ArrayList<>();

  /** Never has a message, and notes how long it is waited for. */
  private final Tailer tailer =
      new Tailer() {
        @Override
        public void await(Duration atMost) {
          waits.add(atMost);
        }

        @Override
        public int partition() {
          return 0;
        }

        @Override
        public long position() {
          return 0;
        }

        @Override
        public long end() {
          return 0;
        }

        @Override
        public void seek(long position) {}

        @Override
        public void toStart() {}

        @Override
        public void toEnd() {}

        @Override
        public int poll(int max, MessageHandler handler) {
          return 0;
        }

        @Override
        public void close() {}
      };

  private void idle(Idle.Strategy strategy) {
    Idle idle = strategy.get();
    for (int turn = 1; turn <= 1_000; turn++) {
      idle.idle(turn, tailer);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"YIELD", "SPIN"})
  void yieldAndSpinNeverWait(Idle.Strategy strategy) {
    idle(strategy);
    assertThat(waits).isEmpty();
  }

  @Test
  void backOffWaitsLongerEachTime() {
    idle(Idle.Strategy.BACK_OFF);
    assertThat(waits).hasSize(970).isSorted();
    assertThat(waits.getFirst()).isEqualTo(Duration.ofNanos(20_000));
    assertThat(waits.getLast()).isEqualTo(Duration.ofMillis(100));
  }
}
