/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemoryQueueRacesTest {

  /** Two threads append to a queue with room for two messages, which evicts the oldest. */
  static final class AppendEvictRead implements Scenario {

    private final MemoryBackend backend =
        MemoryBackend.open(
            new MemoryBackend.Limits(2 << 20, 2), InstantSource.fixed(Instant.EPOCH));
    private final MessageQueue queue = backend.open("q", 1, Duration.ofDays(1));
    private final List<Long> appended = new CopyOnWriteArrayList<>();
    private volatile @Nullable String wrong;

    @Override
    public void run() throws InterruptedException {
      try (Tailer tailer = queue.tailer(0)) {
        Thread one = Thread.ofPlatform().start(this::append);
        Thread two = Thread.ofPlatform().start(this::append);
        read(tailer);
        one.join();
        two.join();
        read(tailer);
        Races.check(tailer.position() == 4, "reading ended at " + tailer.position());
      }
      backend.close();
      Races.check(
          List.copyOf(appended).stream().sorted().toList().equals(List.of(0L, 1L, 2L, 3L)),
          "appended " + appended);
      Races.check(wrong == null, wrong);
    }

    private void append() {
      try (var appender = queue.appender()) {
        for (int i = 0; i < 2; i++) {
          appender.append(0, ByteBuffer.allocate(Long.BYTES).putLong(0, 7));
          appended.add(appender.position());
        }
      }
    }

    private void read(Tailer tailer) {
      try {
        int read;
        do {
          long at = tailer.position();
          read = poll(tailer);
          wrong = tailer.position() < at ? "went back from " + at : wrong;
        } while (read != 0);
      } catch (QueueFailed e) {
        wrong = e.getMessage();
      }
    }

    private int poll(Tailer tailer) {
      try {
        return tailer.poll(
            1, (_, message) -> wrong = message.getLong(0) == 7 ? wrong : "another message");
      } catch (PositionOutOfRange _) {
        tailer.toStart();
        return -1;
      }
    }
  }

  @Test
  void everyMessageIsAppendedOnceAndReadInOrderWhileOthersAreEvicted() {
    Races.explore(AppendEvictRead.class, 400);
  }

  @Test
  void findsAppendsThatDoNotExcludeEachOther() {
    Races.find(
        AppendEvictRead.class, 400, Mutation.notSynchronized(MemoryPartition.class, "tryAppend"));
  }
}
