/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.Capabilities;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueCounters;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Verification;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One partition of a memory queue: a bounded ring; writers share one lock, readers take none.
 * Thread-safe.
 *
 * <p>The locks of the partition and of its retention are never held at the same time.
 */
public final class MemoryPartition {

  /** The part of a full partition that is evicted at once, so that evictions are rare. */
  private static final int EVICTED_PART = 10;

  private final String queue;
  private final int number;
  private final long evictedBytes;
  private final InstantSource clock;
  private final Ring ring;
  private final MemoryRoom room;
  private final MemoryRetention retention;
  private boolean accepting = true;
  private volatile @Nullable Failure failure;

  /** Whether a consumer reported the failure; it may withdraw it. */
  private boolean refused;

  private record Failure(String message, Instant since) {}

  MemoryPartition(
      String queue, int number, MemoryBackend.Limits limits, boolean evicts, InstantSource clock) {
    this.evictedBytes = evicts ? limits.bytes() / EVICTED_PART : 0;
    this.queue = queue;
    this.number = number;
    this.clock = clock;
    DrainRate drained = new DrainRate(clock);
    ring = new Ring(limits.bytes());
    room = new MemoryRoom(limits, clock, ring, drained);
    retention = new MemoryRetention(ring, drained, evicts);
  }

  int number() {
    return number;
  }

  public Ring ring() {
    return ring;
  }

  /** Appends a message and returns its position; allocates only to grow or to refuse. */
  long append(ByteBuffer message) {
    int length = message.remaining();
    if (length > Capabilities.MAX_MESSAGE_BYTES) {
      throw tooLarge(length);
    }
    long frameBytes = Ring.frameBytes(length);
    long freed = ring.freedTo();
    long position = tryAppend(message, frameBytes);
    while (position < 0 && evictedBytes > 0 && working() && retention.evict(evictedBytes, freed)) {
      freed = ring.freedTo();
      position = tryAppend(message, frameBytes);
    }
    if (position < 0) {
      throw accepting() ? refused(frameBytes) : MemoryQueue.closed(queue);
    }
    return position;
  }

  /** The position, or -1 if the message does not fit. */
  private synchronized long tryAppend(ByteBuffer message, long frameBytes) {
    if (!accepting || failure != null || !room.takes(frameBytes)) {
      return -1;
    }
    room.taken();
    return ring.append(message);
  }

  private synchronized boolean accepting() {
    return accepting;
  }

  private boolean working() {
    return failure == null && accepting();
  }

  private QueueRefused tooLarge(int length) {
    return new QueueRefused(
        QueueRefused.Reason.TOO_LARGE,
        String.format(
            Locale.ROOT,
            "queue %s refuses a message of %,d bytes (limit=%,d); nothing was written",
            queue,
            length,
            Capabilities.MAX_MESSAGE_BYTES));
  }

  private QueueRefused refused(long frameBytes) {
    Failure failed = failure;
    if (failed != null) {
      return new QueueRefused(QueueRefused.Reason.FAILED, failed.message());
    }
    String partition = "partition " + number + " of queue " + queue;
    return room.refuse(frameBytes, partition, !retention.passed().isEmpty());
  }

  /** Refuses all later appends; none is in progress when this returns. */
  synchronized void stopAppends() {
    accepting = false;
  }

  /** Refuses appends for a reason that the consumer gives. */
  synchronized void refuse(String why) {
    if (failure == null || refused) {
      failure = new Failure(why + "; nothing was written", clock.instant());
      refused = true;
    }
  }

  synchronized void agreed() {
    if (refused) {
      failure = null;
      refused = false;
    }
  }

  synchronized void skipTo(long position) {
    if (position < ring.nextNumber()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "partition %d of queue %s cannot skip to %,d (end=%,d); positions only grow",
              number,
              queue,
              position,
              ring.nextNumber()));
    }
    ring.skipTo(position);
  }

  void register(String consumer) {
    retention.register(consumer);
  }

  /**
   * Frees what all consumers, including this one, have passed.
   *
   * @throws PositionOutOfRange if the position is beyond the end
   */
  void passed(String consumer, long position) {
    if (position > end()) {
      throw outOfRange(position);
    }
    if (!retention.passed(consumer, position)) {
      throw damaged(retention.firstPosition());
    }
  }

  /** The end, read while no append and no skip is in progress. */
  private synchronized long end() {
    return ring.nextNumber();
  }

  void moveToFirst(FrameCursor cursor) {
    retention.moveToFirst(cursor);
  }

  synchronized void moveToEnd(FrameCursor cursor) {
    ring.moveToEnd(cursor);
  }

  /**
   * Places a cursor before the first message at or after a position, or at the end.
   *
   * @throws PositionOutOfRange if the position is before the first message kept or beyond the end
   */
  void locate(FrameCursor cursor, long position) {
    long wanted = ring.overGap(position);
    long first = retention.firstPosition();
    if (wanted < first || position > ring.nextNumber()) {
      throw outOfRange(position);
    }
    moveNear(wanted, cursor);
    if (cursor.position() < first) {
      retention.moveToFirst(cursor);
    }
    while (cursor.position() < wanted) {
      switch (cursor.look()) {
        case MESSAGE -> cursor.advance();
        case DAMAGED -> throw damaged(cursor.position());
        case FREED, END -> throw outOfRange(position);
      }
    }
    if (cursor.position() > wanted) {
      throw outOfRange(position);
    }
  }

  private synchronized void moveNear(long wanted, FrameCursor cursor) {
    if (wanted == ring.nextNumber()) {
      ring.moveToEnd(cursor);
    } else {
      ring.moveNear(wanted, cursor);
    }
  }

  PositionOutOfRange outOfRange(long position) {
    return new PositionOutOfRange(
        queue, number, position, retention.firstPosition(), ring.nextNumber());
  }

  /** Records that a message is damaged; from then on appends are refused. */
  QueueFailed damaged(long position) {
    String message =
        String.format(
            Locale.ROOT,
            "message %,d in partition %d of queue %s is damaged (first=%,d, end=%,d); reads stop there and appends are refused until the queue is reopened",
            position,
            number,
            queue,
            retention.firstPosition(),
            ring.nextNumber());
    synchronized (this) {
      if (failure == null || refused) {
        failure = new Failure(message, clock.instant());
        refused = false;
      }
    }
    return new QueueFailed(message, null);
  }

  /** Reads from a position, or the nearest one kept, to the current end. */
  Verification verify(long from) {
    FrameCursor cursor = new FrameCursor(ring);
    long end = end();
    try {
      locate(cursor, Math.min(from, end));
    } catch (PositionOutOfRange freed) {
      retention.moveToFirst(cursor);
    }
    long began = cursor.position();
    while (cursor.position() < end) {
      switch (cursor.load()) {
        case MESSAGE -> cursor.advance();
        case FREED -> retention.moveToFirst(cursor);
        case DAMAGED, END -> {
          QueueFailed damage = damaged(cursor.position());
          return new Verification(began, cursor.position(), damage.getMessage());
        }
      }
    }
    return new Verification(began, cursor.position(), null);
  }

  QueueCounters counters() {
    return new QueueCounters(OptionalLong.of(ring.nextNumber()), OptionalLong.of(ring.end()));
  }

  QueueStats stats() {
    long first = retention.firstPosition();
    long end = ring.nextNumber();
    return new QueueStats(
        OptionalLong.of(Math.min(first, end)),
        OptionalLong.of(end),
        OptionalLong.of(ring.usedBytes()),
        OptionalLong.of(end),
        retention.passed(),
        refusal());
  }

  private QueueStats.@Nullable Refusal refusal() {
    Failure failed = failure;
    return failed == null
        ? room.refusal()
        : new QueueStats.Refusal(QueueRefused.Reason.FAILED, Double.NaN, failed.since());
  }
}
