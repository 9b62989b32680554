/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.results;

import io.forebay.call.Message;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the results of one sender in the order of each partition. For one thread.
 *
 * <p>Its {@link #position} after a result is a promise: a cursor that begins there gets all results
 * that this one has not returned, and none that it has. This holds across crashes of either side
 * and on every instance, for as long as the results are kept.
 */
public final class ResultCursor implements AutoCloseable {

  /** How much is read from the queue at once: messages of all senders, and bytes of this one. */
  private static final int MOST_READ = 100_000;

  private static final int PORTION_BYTES = 512 * 1024;
  private static final Duration LONGEST_READ = Duration.ofSeconds(10);

  private final ResultFeed feed;
  private final MessageQueue queue;
  private final RecentResults recent;
  private final String sender;
  private final String mark;

  /** The position from which each partition is to be read. */
  private final long[] positions;

  /** What is done with a result. */
  @FunctionalInterface
  public interface Receiver {

    /**
     * @return false to get no more results for now
     */
    boolean receive(PublishedResult result);
  }

  ResultCursor(
      ResultFeed feed, RecentResults recent, String sender, String mark, long[] positions) {
    this.feed = feed;
    this.queue = feed.queue();
    this.recent = recent;
    this.sender = sender;
    this.mark = mark;
    this.positions = positions;
  }

  /** Where to continue after the results passed so far. */
  public String position() {
    return ResultPositions.text(mark, positions);
  }

  /** Whether no results will come any more, because the gateway is closed. */
  public boolean isOver() {
    return feed.isClosed();
  }

  /**
   * @throws QueueUnavailable if it begins beyond the end: after a loss of power, the last results
   *     are written again
   * @throws ResultsExpired if the first results are no longer kept
   */
  void check() {
    for (int partition = 0; partition < positions.length; partition++) {
      if (!isRead(partition)) {
        try (Tailer tailer = queue.tailer(partition)) {
          seek(tailer);
        }
      }
    }
  }

  /** Whether the feed has read the partition from this position on, so that it exists. */
  private boolean isRead(int partition) {
    feed.lock().lock();
    try {
      return recent.hasAllFrom(positions) && positions[partition] <= feed.read()[partition];
    } finally {
      feed.lock().unlock();
    }
  }

  private void seek(Tailer tailer) {
    long position = positions[tailer.partition()];
    try {
      tailer.seek(position);
    } catch (PositionOutOfRange e) {
      if (position > tailer.end()) {
        throw new QueueUnavailable(
            "queue %s ends before position %,d of partition %d"
                .formatted(queue.name(), position, tailer.partition()),
            e);
      }
      throw new ResultsExpired(
          "The results of partition %d before position %,d are no longer kept"
              .formatted(tailer.partition(), tailer.position()));
    }
  }

  /** What {@link #poll} found. */
  public enum Polled {
    /** There may be more now. */
    MORE,
    /** All results that there are were passed. */
    ALL,
    /** The next results must be read from the queue. */
    BEHIND
  }

  /**
   * Passes results that there are now, and does not wait for others.
   *
   * @param mayRead whether to read the queue if necessary, which may wait for the disk
   * @throws ResultsExpired if results were deleted before they were passed
   * @throws QueueUnavailable if the queue cannot be read now; the cursor may be used again
   */
  public Polled poll(Receiver receiver, boolean mayRead) {
    @Nullable List<PublishedResult> taken;
    long[] read;
    feed.lock().lock();
    try {
      read = feed.read().clone();
      taken = recent.hasAllFrom(positions) ? recent.from(positions) : null;
    } finally {
      feed.lock().unlock();
    }
    if (taken == null) {
      if (!mayRead) {
        return Polled.BEHIND;
      }
      readQueue(receiver, read);
      return Polled.MORE;
    }
    if (taken.isEmpty()) {
      advance(read);
      return Polled.ALL;
    }
    for (PublishedResult result : taken) {
      if (!pass(result, receiver)) {
        break;
      }
    }
    return Polled.MORE;
  }

  private boolean pass(PublishedResult result, Receiver receiver) {
    positions[result.partition()] = result.position() + 1;
    return receiver.receive(result);
  }

  /** All results before these positions were passed. */
  private void advance(long[] read) {
    for (int partition = 0; partition < read.length; partition++) {
      positions[partition] = Math.max(positions[partition], read[partition]);
    }
  }

  /** Reads a portion of the queue, up to these positions at most. */
  private void readQueue(Receiver receiver, long[] to) {
    for (int partition = 0; partition < to.length; partition++) {
      if (positions[partition] < to[partition]) {
        List<PublishedResult> found = new ArrayList<>();
        long end = find(partition, to[partition], found);
        for (PublishedResult result : found) {
          if (!pass(result, receiver)) {
            return;
          }
        }
        positions[partition] = Math.max(positions[partition], end);
        return;
      }
    }
  }

  /**
   * Reads the results of the sender in a portion of the queue.
   *
   * @return up to where it was read
   */
  private long find(int partition, long to, List<PublishedResult> found) {
    try (Tailer tailer = queue.tailer(partition)) {
      seek(tailer);
      int bytes = 0;
      for (int read = 0; read < MOST_READ && bytes < PORTION_BYTES; read++) {
        int before = found.size();
        if (!tailer.pollBefore(
            to,
            LONGEST_READ,
            (position, message) -> {
              Message result = Message.peek(queue.name(), partition, position, message);
              if (sender.equals(result.sourceClient()) && result.source().isPresent()) {
                found.add(new PublishedResult(result, message));
              }
            })) {
          return to;
        }
        bytes += found.size() > before ? found.getLast().size() : 0;
      }
      return tailer.position();
    }
  }

  /**
   * Waits until {@link #poll} may pass a result, for this time at most. Also returns when the
   * thread is unparked.
   */
  public void await(Duration atMost) {
    feed.lock().lock();
    try {
      if (feed.isClosed() || !recent.hasAllFrom(positions) || !recent.from(positions).isEmpty()) {
        return;
      }
      recent.await(Thread.currentThread());
    } finally {
      feed.lock().unlock();
    }
    Machine.parkUntil(this, Machine.nanos() + atMost.toNanos());
  }

  @Override
  public void close() {
    feed.leave(recent);
  }
}
