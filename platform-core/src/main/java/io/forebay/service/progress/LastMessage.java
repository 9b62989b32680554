/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.call.Message;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds the last message of a partition. Positions may have gaps, also at the end, so it steps back
 * from the end in growing strides until it finds a message.
 */
public final class LastMessage {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  private LastMessage() {}

  /**
   * The source position of the last message, and of the last answer in it if it has several; empty
   * if there is none.
   */
  public static OptionalLong source(MessageQueue out, int partition) {
    try (Tailer tailer = out.tailer(partition)) {
      long first = tailer.position();
      long end = tailer.end(); // includes messages that an open transaction still hides
      @Nullable Message[] last = {null};
      for (long stride = 1; last[0] == null && end - stride / 2 > first; stride *= 2) {
        seek(tailer, Math.max(first, end - stride));
        readOn(
            tailer,
            end,
            (position, message) -> {
              if (position < end) { // more messages may be appended in the meantime
                last[0] = Message.peek(out.name(), partition, position, message);
              }
            });
      }
      Message found = last[0];
      return found == null || found.source().isEmpty()
          ? OptionalLong.empty()
          : OptionalLong.of(found.source().getAsLong() + found.sources() - 1);
    }
  }

  private static void readOn(Tailer tailer, long end, MessageHandler handler) {
    boolean more = true;
    while (more) {
      try {
        more = tailer.pollBefore(end, PATIENCE, handler);
      } catch (PositionOutOfRange e) {
        tailer.toStart(); // retention has advanced
        tailer.await(Tailer.A_TURN);
      }
    }
  }

  private static void seek(Tailer tailer, long position) {
    try {
      tailer.seek(position);
    } catch (PositionOutOfRange e) {
      tailer.toStart(); // retention has advanced
    }
  }
}
