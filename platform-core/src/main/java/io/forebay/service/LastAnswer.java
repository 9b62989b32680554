/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.Message;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.OptionalLong;

/** Finds which message was answered last, from the out-queue alone. */
final class LastAnswer {

  static final Duration TURN = Duration.ofMillis(10);
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private LastAnswer() {}

  /**
   * The source position of the last frame of a partition. Positions may have gaps, also at the end,
   * so it steps back from there in growing strides until a frame is in between.
   */
  static OptionalLong position(MessageQueue out, int partition) {
    try (Tailer tailer = out.tailer(partition)) {
      long first = tailer.position();
      tailer.toEnd();
      long end = tailer.position();
      long[] source = {-1};
      for (long stride = 1; source[0] < 0 && end - stride / 2 > first; stride *= 2) {
        seek(tailer, Math.max(first, end - stride));
        readOn(
            tailer,
            end,
            (position, message) -> source[0] = source(out, partition, position, message));
      }
      return source[0] < 0 ? OptionalLong.empty() : OptionalLong.of(source[0]);
    }
  }

  /** Up to an end; a shared queue hands messages over a moment later. */
  static void readOn(Tailer tailer, long end, MessageHandler handler) {
    long begin = System.nanoTime();
    while (tailer.position() < end) {
      if (tailer.poll(1_000, handler) > 0) {
        begin = System.nanoTime();
      } else if (System.nanoTime() - begin > PATIENCE.toNanos()) {
        throw new QueueUnavailable(
            "partition %d could not be read up to %,d within %s"
                .formatted(tailer.partition(), end, PATIENCE),
            null);
      } else {
        tailer.await(TURN);
      }
    }
  }

  private static long source(MessageQueue out, int partition, long position, ByteBuffer message) {
    return Message.peek(out.name(), partition, position, message).source().orElse(-1);
  }

  private static void seek(Tailer tailer, long position) {
    try {
      tailer.seek(position);
    } catch (PositionOutOfRange e) {
      tailer.toStart(); // retention went on meanwhile
    }
  }
}
