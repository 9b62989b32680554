/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.AnswerRun;
import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Receipt;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Finds a result in the out-queue by binary search. Thread-safe. */
record ResultSearch(MessageQueue out, Protocol<JDBCResult> results) {

  private static final Duration LONGEST_READ = Duration.ofSeconds(10);

  /**
   * @param sender of the statement; null: any
   * @return false if it is not there: not written yet, or already deleted
   * @throws ResultHidden if it may be behind the end of what can be read now
   */
  boolean find(Receipt receipt, @Nullable String sender, JDBCResult target) {
    try (Tailer tailer = out.tailer(receipt.partition())) {
      while (true) {
        try {
          return find(tailer, receipt, sender, target);
        } catch (PositionOutOfRange e) {
          tailer.toStart(); // retention deleted messages meanwhile: search the rest
        }
      }
    }
  }

  private boolean find(Tailer tailer, Receipt receipt, @Nullable String sender, JDBCResult target) {
    long low = tailer.position();
    tailer.toEnd();
    long end = tailer.position();
    long high = end;
    boolean isAnsweredBeyond = false;
    while (low < high) {
      long middle = (low + high) >>> 1;
      tailer.seek(middle);
      @Nullable Message[] found = {null};
      tailer.pollBefore(
          high,
          LONGEST_READ,
          (position, message) ->
              found[0] = Message.peek(out.name(), receipt.partition(), position, message));
      Message there = found[0];
      long source = there == null ? Long.MAX_VALUE : there.source().orElse(-1);
      long behind = there == null ? Long.MAX_VALUE : source + there.sources();
      if (there != null && source <= receipt.position() && receipt.position() < behind) {
        if (sender != null && !sender.equals(there.sourceClient())) {
          return false;
        }
        tailer.seek(middle);
        return read(tailer, high, receipt, target);
      }
      if (source < receipt.position()) {
        low = tailer.position();
      } else {
        high = middle;
        isAnsweredBeyond |= there != null;
      }
    }
    if (!isAnsweredBeyond && out.shared() && end < tailer.end()) {
      throw new ResultHidden(out.name(), receipt);
    }
    return false;
  }

  /**
   * Passes the result in the next message to the target.
   *
   * @return false if it is from an earlier queue of the same name: it has another id
   */
  private boolean read(Tailer tailer, long end, Receipt receipt, JDBCResult target) {
    CallReader<JDBCResult> reader = results.reader(out.name(), target);
    boolean[] found = {false};
    MessageHandler single =
        (position, message) -> {
          Message envelope = Message.peek(out.name(), receipt.partition(), position, message);
          if (envelope.source().orElse(-1) == receipt.position()
              && envelope.id().equals(receipt.id())) {
            reader.read(receipt.partition(), position, message);
            found[0] = true;
          }
        };
    tailer.pollBefore(end, LONGEST_READ, AnswerRun.singly(out.name(), receipt.partition(), single));
    Message.clear();
    return found[0];
  }
}
