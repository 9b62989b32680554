/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Receipt;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds a result in the out-queue by binary search. Thread-safe. */
record ResultSearch(MessageQueue out, Protocol<JDBCResult> results) {

  private static final Duration LONGEST_READ = Duration.ofSeconds(10);

  /**
   * @param sender of the statement; null: any
   * @return false if it is not there: not written yet, or already deleted
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
    long high = tailer.position();
    while (low < high) {
      long middle = (low + high) >>> 1;
      tailer.seek(middle);
      long[] source = {Long.MAX_VALUE};
      UUID[] id = {receipt.id()};
      @Nullable String[] client = {null};
      tailer.pollBefore(
          high,
          LONGEST_READ,
          (position, message) -> {
            Message found = Message.peek(out.name(), receipt.partition(), position, message);
            source[0] = found.source().orElse(-1);
            id[0] = found.id();
            client[0] = found.sourceClient();
          });
      if (source[0] == receipt.position()) {
        if (!receipt.id().equals(id[0])) {
          return false; // from an earlier queue of the same name
        }
        if (sender != null && !sender.equals(client[0])) {
          return false;
        }
        tailer.seek(middle);
        CallReader<JDBCResult> reader = results.reader(out.name(), target);
        boolean found =
            tailer.pollBefore(
                high,
                LONGEST_READ,
                (position, message) -> reader.read(receipt.partition(), position, message));
        Message.clear();
        return found;
      }
      if (source[0] < receipt.position()) {
        low = tailer.position();
      } else {
        high = middle;
      }
    }
    return false;
  }
}
