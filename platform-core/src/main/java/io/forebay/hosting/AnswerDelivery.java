/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.CallReader;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers answers in transactions that also store the position: of the receivers' database, or of
 * a file, which undoes nothing and therefore has one answer in each. For the thread that reads the
 * answers.
 */
final class AnswerDelivery<O> {

  private static final Logger log = LoggerFactory.getLogger(AnswerDelivery.class);
  private static final int IN_TRANSACTION = 100;

  private final MessageQueue out;
  private final List<CallReader<O>> readers;
  private final ReceivedPositions file;
  private final AnswerTransactions store;
  private final Skipping skipping;

  /** The stored positions that are known, and to which the tailers have moved, by partition. */
  private final Map<Integer, OptionalLong> stored = new HashMap<>();

  /** The transactions that failed, by partition, until the tailer has moved. */
  private final Map<Integer, Failed> failed = new HashMap<>();

  /**
   * @param begin where it began
   * @param stored the position that was stored then; another one means that it took effect
   */
  private record Failed(long begin, OptionalLong stored) {}

  /** The answers that some beans have received, and the next one has not, by partition. */
  private final Map<Integer, Unfinished> unfinished = new HashMap<>();

  private record Unfinished(long position, int nextReader) {}

  /** What happens to an answer whose bean throws; it is not delivered again. */
  interface Skipping {
    void skipped(int partition, long position, Throwable reason);
  }

  /**
   * @param transactions null to store positions in the file
   */
  AnswerDelivery(
      MessageQueue out,
      List<CallReader<O>> readers,
      ReceivedPositions file,
      @Nullable AnswerTransactions transactions,
      Skipping skipping) {
    this.out = out;
    this.readers = readers;
    this.file = file;
    this.store = transactions == null ? file : transactions;
    this.skipping = skipping;
  }

  /**
   * Moves to where the last transaction began, if it failed without effect, otherwise to the stored
   * position.
   *
   * @throws QueueUnavailable if the database or the queue does not respond; it is called again then
   * @throws QueueFailed if the queue lost answers that were received
   * @throws PositionOutOfRange if the answer there was deleted; reading continues where the caller
   *     moves the tailer
   */
  void seek(Tailer tailer) {
    int partition = tailer.partition();
    OptionalLong position;
    try {
      position = store.position(out.identity(), partition);
    } catch (Unavailable e) {
      throw new QueueUnavailable(String.valueOf(e.getMessage()), e);
    }
    Failed last = failed.get(partition);
    try {
      if (last != null && last.stored().equals(position)) {
        tailer.seek(last.begin()); // before the stored position, if the queue was shortened
      } else if (position.isPresent()) {
        tailer.seek(ReceivedPositions.in(out, tailer, position.getAsLong()));
      } else {
        long before = file.position(out.identity(), partition).orElse(0);
        if (before > tailer.position()) {
          tailer.seek(ReceivedPositions.in(out, tailer, before));
        }
      }
    } catch (PositionOutOfRange e) {
      known(partition, position);
      throw e;
    }
    known(partition, position);
  }

  private void known(int partition, OptionalLong position) {
    failed.remove(partition);
    stored.put(partition, position);
  }

  /**
   * Delivers answers in one transaction. If it fails, the next one begins where this one began,
   * unless another position is stored by then: a commit without an answer may have taken effect.
   */
  int receive(Tailer tailer) {
    int partition = tailer.partition();
    if (!stored.containsKey(partition)) {
      seek(tailer);
    }
    Failed ifItFails =
        new Failed(tailer.position(), stored.getOrDefault(partition, OptionalLong.empty()));
    Delivery delivery = new Delivery(partition);
    try {
      tailer.poll(IN_TRANSACTION, delivery::deliver);
      delivery.commit(tailer.position());
    } catch (Unavailable e) {
      delivery.rollback();
      failed.put(partition, ifItFails);
      throw new QueueUnavailable(String.valueOf(e.getMessage()), e);
    } catch (RuntimeException | Error e) {
      delivery.rollback();
      failed.put(partition, ifItFails);
      throw e;
    }
    return delivery.count;
  }

  /** The answers of one transaction, which begins with the first of them. */
  private final class Delivery {

    private final int partition;
    private AnswerTransactions.@Nullable Transaction transaction;
    private int count;

    Delivery(int partition) {
      this.partition = partition;
    }

    /** An answer that the queue can still lose may be given again, as another one. */
    void deliver(long position, ByteBuffer message) {
      out.awaitSafe(partition, position + 1);
      AnswerTransactions.Transaction begun = transaction == null ? store.begin() : transaction;
      transaction = begun;
      Unfinished before = unfinished.remove(partition);
      int first = before == null || before.position != position ? 0 : before.nextReader;
      for (int i = first; i < readers.size(); i++) {
        CallReader<O> reader = readers.get(i);
        try {
          begun.deliver(() -> reader.read(partition, position, message));
        } catch (Unavailable e) {
          if (store == file) {
            unfinished.put(partition, new Unfinished(position, i));
          }
          throw e;
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
          skipping.skipped(partition, position, e);
        }
      }
      count++;
      if (store == file) { // which undoes nothing
        commit(position + 1);
      }
    }

    void commit(long to) {
      if (transaction != null) {
        OptionalLong from = stored.getOrDefault(partition, OptionalLong.empty());
        transaction.commit(out.identity(), partition, from, to);
        stored.put(partition, OptionalLong.of(to));
      }
    }

    void rollback() {
      stored.remove(partition);
      if (transaction != null) {
        try {
          transaction.rollback();
        } catch (Unavailable e) {
          log.debug("Transaction of answers could not be rolled back; its connection is lost", e);
        }
      }
    }
  }
}
