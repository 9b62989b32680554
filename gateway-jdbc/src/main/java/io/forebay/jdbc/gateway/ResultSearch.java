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
    int partition = receipt.partition();
    long end = tailer.readableEnd();
    tailer.search(
        end,
        LONGEST_READ,
        (position, message) -> {
          Message answer = Message.peek(out.name(), partition, position, message);
          return answer.source().orElse(-1) + answer.sources() <= receipt.position();
        });
    CallReader<JDBCResult> reader = results.reader(out.name(), target);
    boolean[] found = {false};
    MessageHandler single =
        (position, message) -> {
          Message answer = Message.peek(out.name(), partition, position, message);
          if (isOf(receipt, sender, answer)) {
            reader.read(partition, position, message);
            found[0] = true;
          }
        };
    boolean isAnswered =
        tailer.pollBefore(end, LONGEST_READ, AnswerRun.singly(out.name(), partition, single));
    Message.clear();
    if (!isAnswered && out.shared() && end < tailer.end()) {
      throw new ResultHidden(out.name(), receipt);
    }
    return found[0];
  }

  /** Not if it is from an earlier queue of the same name: it has another id. */
  private static boolean isOf(Receipt receipt, @Nullable String sender, Message answer) {
    return answer.source().orElse(-1) == receipt.position()
        && answer.id().equals(receipt.id())
        && (sender == null || sender.equals(answer.sourceClient()));
  }
}
