/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.results;

import io.forebay.call.Message;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.gateway.ResultListener;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Passes the results of a gateway to their senders. Thread-safe.
 *
 * <p>The thread of the {@link StatementClient} reads each result once, whatever the number of
 * readers. The newest results of a sender that reads are kept in memory, as {@link RecentResults}.
 * A reader that is further behind reads the out-queue itself until it has reached them. So a slow
 * reader takes no memory, and delays nobody.
 */
public final class ResultFeed {

  /** How much the recent results of all senders may take. */
  private static final long MOST_BYTES = 32 * RecentResults.MOST_BYTES;

  /** How long recent results are kept for a reader that returns. */
  private static final Duration KEPT = Duration.ofMinutes(1);

  private static final Duration LONGEST_START = Duration.ofSeconds(5);
  private static final long UNKNOWN = -1;

  private final StatementClient client;
  private final MessageQueue queue;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition known = lock.newCondition();
  private final Map<String, RecentResults> recent = new HashMap<>();

  /** Up to where each partition was read. */
  private final long[] read;

  private long bytes;
  private volatile boolean closed;

  public ResultFeed(StatementClient client) {
    this.client = client;
    this.queue = client.results();
    read = new long[queue.partitions()];
    Arrays.fill(read, UNKNOWN);
    client.listen(new Tail());
  }

  MessageQueue queue() {
    return queue;
  }

  /**
   * Begins to read the results of a sender.
   *
   * @param from {@code start}: the first result kept; {@code end}: the next result; or the {@link
   *     ResultCursor#position position} of an earlier cursor
   * @throws IllegalArgumentException if {@code from} is nothing of that
   * @throws ResultsExpired if results from there on are no longer kept
   * @throws QueueUnavailable if the queue cannot be read now, or ends before {@code from}: after a
   *     loss of power, the last results are written again
   */
  public ResultCursor open(String sender, String from) {
    awaitKnown();
    ResultCursor cursor = enter(sender, from);
    try {
      cursor.check();
    } catch (RuntimeException | Error e) {
      cursor.close();
      throw e;
    }
    return cursor;
  }

  private ResultCursor enter(String sender, String from) {
    long[] start = from.equals("start") ? first() : null;
    lock.lock();
    try {
      if (start == null) {
        start = from.equals("end") ? read.clone() : ResultPositions.of(queue, from);
      }
      String mark = ResultPositions.mark(queue);
      removeLeft();
      RecentResults results = recent.computeIfAbsent(sender, _ -> new RecentResults(read));
      results.enter();
      return new ResultCursor(this, results, sender, mark, start);
    } finally {
      lock.unlock();
    }
  }

  private long[] first() {
    long[] first = new long[queue.partitions()];
    for (int partition = 0; partition < first.length; partition++) {
      try (Tailer tailer = queue.tailer(partition)) {
        first[partition] = tailer.position();
      }
    }
    return first;
  }

  private void awaitKnown() {
    lock.lock();
    try {
      long deadline = Machine.nanos() + LONGEST_START.toNanos();
      while (!closed && Arrays.stream(read).anyMatch(position -> position == UNKNOWN)) {
        long left = deadline - Machine.nanos();
        if (left <= 0) {
          throw new QueueUnavailable("queue %s is not read yet".formatted(queue.name()), null);
        }
        Machine.await(known, left);
      }
      if (closed) {
        throw new QueueUnavailable("queue %s is no longer read".formatted(queue.name()), null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable(
          "the wait for queue %s was interrupted".formatted(queue.name()), null);
    } finally {
      lock.unlock();
    }
  }

  private void removeLeft() {
    long since = Machine.nanos() - KEPT.toNanos();
    recent
        .values()
        .removeIf(results -> {
          boolean left = results.isLeftSince(since);
          bytes -= left ? results.bytes() : 0;
          return left;
        });
  }

  void leave(RecentResults results) {
    lock.lock();
    try {
      results.forget(Thread.currentThread());
      results.leave(Machine.nanos());
    } finally {
      lock.unlock();
    }
  }

  ReentrantLock lock() {
    return lock;
  }

  /** Up to where each partition was read. The caller has the lock. */
  long[] read() {
    return read;
  }

  boolean isClosed() {
    return closed;
  }

  /** Passes a result to {@code target}. */
  public void read(PublishedResult result, JDBCResult target) {
    client.read(result.partition(), result.position(), result.bytes(), target);
  }

  private final class Tail implements ResultListener {

    @Override
    public void begins(int partition, long position) {
      lock.lock();
      try {
        if (read[partition] != position) {
          recent.values().forEach(results -> results.lost(partition, position));
          read[partition] = position;
          known.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void result(int partition, long position, Message result, ByteBuffer message) {
      lock.lock();
      try {
        @Nullable RecentResults results = recent.get(result.sourceClient());
        if (results != null && results.isLeftSince(Machine.nanos() - KEPT.toNanos())) {
          removeLeft();
        } else if (results != null && result.source().isPresent()) {
          bytes += results.add(new PublishedResult(result, message), bytes > MOST_BYTES);
        }
        read[partition] = position + 1;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void ends(int partition, long position) {
      lock.lock();
      try {
        read[partition] = position;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void closed() {
      lock.lock();
      try {
        closed = true;
        known.signalAll();
        recent.values().forEach(RecentResults::wake);
      } finally {
        lock.unlock();
      }
    }
  }
}
