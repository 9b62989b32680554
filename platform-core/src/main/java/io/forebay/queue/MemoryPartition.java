/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One stripe of a memory queue: a bounded ring, one lock to write, none to read. Thread-safe. */
final class MemoryPartition {

  private static final Logger log = LoggerFactory.getLogger(MemoryPartition.class);

  /** Who is refused comes back when a tenth is free, not when one message fits. */
  private static final int ROOM_TO_COME_BACK = 10;

  private final String queue;
  private final int number;
  private final MemoryBackend.Limits limits;
  private final boolean evicts;
  private final InstantSource clock;
  private final Ring ring;
  private final DrainRate drained;
  private final MemoryRetention retention;

  private volatile Gaps gaps = Gaps.NONE;
  private volatile long end;
  private volatile @Nullable Full full;
  private volatile @Nullable Failure failure;
  private long appended;
  private boolean accepting = true;

  /** Since when there has been no room for a message of some size. */
  private record Full(long frameBytes, Instant since) {}

  private record Failure(String message, Instant since) {}

  MemoryPartition(
      String queue, int number, MemoryBackend.Limits limits, boolean evicts, InstantSource clock) {
    this.evicts = evicts;
    this.queue = queue;
    this.number = number;
    this.limits = limits;
    this.clock = clock;
    ring = new Ring(limits.bytes());
    drained = new DrainRate(clock);
    retention = new MemoryRetention(this, drained);
  }

  Ring ring() {
    return ring;
  }

  Gaps gaps() {
    return gaps;
  }

  MemoryRetention retention() {
    return retention;
  }

  int number() {
    return number;
  }

  /** Appends a message and returns its position; allocates nothing unless it refuses or grows. */
  long append(ByteBuffer message) {
    int length = message.remaining();
    if (length > Capabilities.MAX_MESSAGE_BYTES) {
      throw tooLarge(length);
    }
    long frameBytes = Ring.frameBytes(length);
    long position = tryAppend(message, frameBytes);
    if (position < 0 && evicts && retention.evict(limits.bytes() / ROOM_TO_COME_BACK)) {
      position = tryAppend(message, frameBytes);
    }
    if (position < 0) {
      throw refused(frameBytes);
    }
    return position;
  }

  /** The position, or -1 if it does not go. */
  private synchronized long tryAppend(ByteBuffer message, long frameBytes) {
    if (!accepting || failure != null || !room(frameBytes)) {
      return -1;
    }
    long position = end;
    ring.append(position, message);
    end = position + 1;
    appended++;
    if (full != null) {
      full = null;
    }
    return position;
  }

  private boolean room(long frameBytes) {
    return ring.used() + frameBytes <= limits.bytes()
        && appended - retention.freedMessages() < limits.messages();
  }

  private QueueRefused tooLarge(int length) {
    return new QueueRefused(
        QueueRefused.Reason.TOO_LARGE,
        Double.NaN,
        Duration.ZERO,
        String.format(
            Locale.ROOT,
            "queue %s does not take a message of %,d bytes (limit=%,d); nothing was written",
            queue,
            length,
            Capabilities.MAX_MESSAGE_BYTES));
  }

  private QueueRefused refused(long frameBytes) {
    Failure failed = failure;
    Full since;
    synchronized (this) {
      if (!accepting) {
        return closed();
      }
      if (full == null) {
        full = new Full(frameBytes, clock.instant());
      }
      since = full;
    }
    if (failed != null) {
      return new QueueRefused(
          QueueRefused.Reason.FAILED, Double.NaN, Duration.ZERO, failed.message());
    }
    return full(since);
  }

  private QueueRefused full(Full since) {
    boolean held = retention.passed().isEmpty();
    return new QueueRefused(
        QueueRefused.Reason.FULL,
        fill(),
        drained.timeFor(Math.max(since.frameBytes(), limits.bytes() / ROOM_TO_COME_BACK)),
        String.format(
            Locale.ROOT,
            "queue %s, partition %d is full since %s (bytes=%,d, limit=%,d; messages=%,d, limit=%,d); %s",
            queue,
            number,
            since.since(),
            ring.used(),
            limits.bytes(),
            messages(),
            limits.messages(),
            held
                ? "no consumer is registered, so nothing is freed until one is and passes them"
                : "room comes when its consumers go on"));
  }

  private QueueRefused closed() {
    return MemoryQueue.closed(queue);
  }

  private synchronized long messages() {
    return appended - retention.freedMessages();
  }

  private double fill() {
    return Math.min(
        1,
        Math.max((double) ring.used() / limits.bytes(), (double) messages() / limits.messages()));
  }

  /** Refuses appends from now on; none is under way when this returns. */
  synchronized void stopAppends() {
    accepting = false;
  }

  synchronized void skipTo(long position) {
    if (position < end) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "partition %d of queue %s cannot skip to %,d (end=%,d); positions only grow",
              number,
              queue,
              position,
              end));
    }
    if (position > end) {
      gaps = gaps.and(end, position);
      end = position;
    }
  }

  /**
   * Stands a cursor before the first message at or after a position.
   *
   * @throws PositionOutOfRange if that is not between the first kept and the end
   */
  void locate(FrameCursor cursor, long position) {
    long wanted = gaps.over(position);
    synchronized (this) {
      if (position > end) {
        throw outOfRange(position);
      }
      if (wanted == end) {
        cursor.moveTo(ring.end(), end);
        return;
      }
      long segment = ring.segmentBefore(wanted);
      cursor.moveTo(ring.markedAddress(segment), ring.markedNumber(segment));
    }
    if (wanted < retention.firstPosition()) {
      throw outOfRange(position);
    }
    if (cursor.position() < retention.firstPosition()) {
      retention.moveToFirst(cursor);
    }
    while (cursor.position() < wanted) {
      switch (cursor.look()) {
        case MESSAGE -> cursor.advance();
        case DAMAGED -> throw damaged(cursor.position());
        case FREED, END -> throw outOfRange(position);
      }
    }
  }

  void moveToEnd(FrameCursor cursor) {
    synchronized (this) {
      cursor.moveTo(ring.end(), end);
    }
  }

  /**
   * Frees what this consumer and all others have passed.
   *
   * @throws PositionOutOfRange if the position is beyond the end
   */
  void passed(String consumer, long position) {
    if (position > end) {
      throw outOfRange(position);
    }
    retention.passed(consumer, position);
  }

  PositionOutOfRange outOfRange(long position) {
    return new PositionOutOfRange(queue, number, position, retention.firstPosition(), end);
  }

  /** Takes note that a message is damaged: nothing is appended behind it any more. */
  QueueFailed damaged(long position) {
    String message =
        String.format(
            Locale.ROOT,
            "message %,d in partition %d of queue %s is damaged (end=%,d); nothing is read behind it, and appends are"
                + " refused until the queue is opened anew",
            position,
            number,
            queue,
            end);
    synchronized (this) {
      if (failure == null) {
        failure = new Failure(message, clock.instant());
        log.error(message);
      }
    }
    return new QueueFailed(message, null);
  }

  Verification verify(long from) {
    FrameCursor cursor = new FrameCursor(this);
    long last = end;
    locateInside(cursor, Math.min(from, last));
    long began = cursor.position();
    while (cursor.position() < last) {
      switch (cursor.load()) {
        case MESSAGE -> cursor.advance();
        case FREED -> retention.moveToFirst(cursor);
        case END, DAMAGED -> {
          return new Verification(
              began, cursor.position(), damaged(cursor.position()).getMessage());
        }
      }
    }
    return new Verification(began, cursor.position(), null);
  }

  private void locateInside(FrameCursor cursor, long from) {
    try {
      locate(cursor, from);
    } catch (PositionOutOfRange freed) {
      retention.moveToFirst(cursor);
    }
  }

  QueueStats stats() {
    long to = end;
    return new QueueStats(
        OptionalLong.of(Math.min(retention.firstPosition(), to)),
        OptionalLong.of(to),
        OptionalLong.of(ring.used()),
        OptionalLong.of(to),
        retention.passed(),
        refusal());
  }

  private QueueStats.@Nullable Refusal refusal() {
    Failure failed = failure;
    if (failed != null) {
      return new QueueStats.Refusal(QueueRefused.Reason.FAILED, Double.NaN, failed.since());
    }
    synchronized (this) {
      Full since = full;
      return since == null || room(since.frameBytes())
          ? null
          : new QueueStats.Refusal(QueueRefused.Reason.FULL, fill(), since.since());
    }
  }
}
