/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.subscribe;

import io.forebay.call.Message;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.gateway.ResultListener;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Passes the results of a gateway to subscribers. Thread-safe.
 *
 * <p>The thread of the {@link StatementClient} reads each result once, whatever the number of
 * subscribers. A sender with subscribers has a {@link Channel}, which keeps its newest results in
 * memory. A subscriber that is further behind reads the out-queue itself until the channel has what
 * it needs. So a slow subscriber takes no memory, and delays nobody.
 */
public final class ResultFeed {

  /** How much the channels of all senders may hold. */
  private static final long MOST_BYTES = 32 * Channel.MOST_BYTES;

  /** How long a channel is kept for a subscriber that returns. */
  private static final Duration KEPT = Duration.ofMinutes(1);

  /** How many subscribers may read the queue themselves at the same time. */
  private static final int MOST_READERS = 8;

  private static final Duration LONGEST_START = Duration.ofSeconds(5);
  private static final long UNKNOWN = -1;

  private final StatementClient client;
  private final MessageQueue queue;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition known = lock.newCondition();
  private final Map<String, Channel> channels = new HashMap<>();

  /** Up to where each partition was read. */
  private final long[] read;

  private final Semaphore readers = new Semaphore(MOST_READERS, true);
  private long bytes;
  private volatile boolean closed;
  private volatile @Nullable Text lastText;

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
   * Subscribes to the results of a sender.
   *
   * @param from {@code start}: the first result kept; {@code end}: the next result; or the {@link
   *     ResultSubscription#position position} of an earlier subscription
   * @throws IllegalArgumentException if {@code from} is nothing of that
   * @throws ResultsExpired if results from there on are no longer kept
   * @throws QueueUnavailable if the queue cannot be read now, or ends before {@code from}: after a
   *     loss of power, the last results are written again
   */
  public ResultSubscription subscribe(String sender, String from) {
    awaitKnown();
    ResultSubscription subscription = enter(sender, from);
    try {
      subscription.check();
    } catch (RuntimeException | Error e) {
      subscription.close();
      throw e;
    }
    return subscription;
  }

  private ResultSubscription enter(String sender, String from) {
    long[] start = from.equals("start") ? first() : null;
    lock.lock();
    try {
      if (start == null) {
        start = from.equals("end") ? read.clone() : ResultPositions.of(queue, from);
      }
      String mark = ResultPositions.mark(queue);
      removeLeft();
      Channel channel = channels.computeIfAbsent(sender, _ -> new Channel(read));
      channel.enter();
      return new ResultSubscription(this, channel, sender, mark, start);
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
      long nanos = LONGEST_START.toNanos();
      while (!closed && Arrays.stream(read).anyMatch(position -> position == UNKNOWN)) {
        if (nanos <= 0) {
          throw new QueueUnavailable("queue %s is not read yet".formatted(queue.name()), null);
        }
        nanos = known.awaitNanos(nanos);
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
    long since = System.nanoTime() - KEPT.toNanos();
    channels
        .values()
        .removeIf(channel -> {
          boolean left = channel.isLeftSince(since);
          bytes -= left ? channel.bytes() : 0;
          return left;
        });
  }

  void leave(Channel channel, @Nullable Runnable listener) {
    lock.lock();
    try {
      channel.forget(Thread.currentThread());
      if (listener != null) {
        channel.forget(listener);
      }
      channel.leave(System.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /** The last text, because all subscribers that are not behind need the same. */
  private record Text(String mark, long[] positions, String text) {}

  String text(String mark, long[] positions) {
    Text known = lastText;
    if (known == null
        || !known.mark().equals(mark)
        || !Arrays.equals(known.positions(), positions)) {
      known = new Text(mark, positions.clone(), ResultPositions.text(mark, positions));
      lastText = known;
    }
    return known.text();
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

  Semaphore readers() {
    return readers;
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
          channels.values().forEach(channel -> channel.lost(partition, position));
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
        @Nullable Channel channel = channels.get(result.sourceClient());
        if (channel != null && channel.isLeftSince(System.nanoTime() - KEPT.toNanos())) {
          removeLeft();
        } else if (channel != null && result.source().isPresent()) {
          bytes += channel.add(new PublishedResult(result, message), bytes > MOST_BYTES);
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
        channels.values().forEach(Channel::wake);
      } finally {
        lock.unlock();
      }
    }
  }
}
