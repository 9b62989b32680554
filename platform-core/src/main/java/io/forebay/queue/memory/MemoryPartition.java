/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.Capabilities;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueRefused.Reason;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One partition of a memory queue: its messages by position. Thread-safe. */
final class MemoryPartition {

  private static final Duration RETRY = Duration.ofSeconds(1);

  /** About what a message takes in the heap besides its bytes. */
  private static final int ENTRY_BYTES = 96;

  private final MemoryQueue queue;
  private final int number;
  private final boolean evicts;
  private final long limit;
  private final InstantSource clock;
  private final TreeMap<Long, byte[]> messages = new TreeMap<>();
  private final Map<String, Long> passed = new HashMap<>();
  private long first;
  private long end;
  private long keptBytes;
  private long appendedBytes;
  private boolean accepting = true;

  /** Why a consumer refuses messages. */
  private @Nullable String refused;

  /** The last refusal, until a message is taken or freed, or the consumer agrees. */
  private QueueStats.@Nullable Refusal refusal;

  MemoryPartition(MemoryQueue queue, int number, boolean evicts, long limit, InstantSource clock) {
    this.queue = queue;
    this.number = number;
    this.evicts = evicts;
    this.limit = limit;
    this.clock = clock;
  }

  /** Appends a message and returns its position. */
  synchronized long append(ByteBuffer message) {
    int bytes = message.remaining();
    if (bytes > Capabilities.MAX_MESSAGE_BYTES) {
      throw new QueueRefused(
          Reason.TOO_LARGE,
          "%s refuses a message of %,d bytes (limit=%,d); nothing was written"
              .formatted(queue, bytes, Capabilities.MAX_MESSAGE_BYTES));
    }
    if (!accepting) {
      throw queue.refusedAsClosed();
    }
    if (refused != null) {
      throw new QueueRefused(Reason.FAILED, refused + "; nothing was written");
    }
    while (evicts && !takes(bytes) && frees()) {
      // until there is room
    }
    if (!takes(bytes)) {
      throw full();
    }
    refusal = null;
    byte[] copy = new byte[bytes];
    message.get(message.position(), copy);
    messages.put(end, copy);
    keptBytes += bytes + ENTRY_BYTES;
    appendedBytes += bytes;
    return end++;
  }

  private boolean takes(int bytes) {
    return keptBytes + bytes + ENTRY_BYTES <= limit;
  }

  private QueueRefused full() {
    double fill = (double) keptBytes / limit;
    QueueStats.Refusal last = refusal;
    if (last == null) {
      last = new QueueStats.Refusal(Reason.FULL, fill, clock.instant());
      refusal = last;
    }
    return new QueueRefused(
        Reason.FULL,
        fill,
        RETRY,
        "partition %d of %s has been full since %s (bytes=%,d, limit=%,d; messages=%,d); %s"
            .formatted(
                number,
                queue,
                last.since().truncatedTo(ChronoUnit.SECONDS),
                keptBytes,
                limit,
                messages.size(),
                passed.isEmpty()
                    ? "no consumer is registered; register one to free space"
                    : "it accepts messages again when its slowest consumer has advanced"));
  }

  /** Refuses all later appends; none is in progress when this returns. */
  synchronized void stopAppends() {
    accepting = false;
  }

  /** Refuses appends for a reason that the consumer gives. */
  synchronized void refuse(String why) {
    refused = why;
    refusal = new QueueStats.Refusal(Reason.FAILED, Double.NaN, clock.instant());
  }

  synchronized void agreed() {
    refused = null;
    refusal = null;
  }

  synchronized void skipTo(long position) {
    if (position < end) {
      throw new IllegalArgumentException(
          "partition %d of %s cannot skip to %,d (end=%,d); positions only grow"
              .formatted(number, queue, position, end));
    }
    end = position;
  }

  /**
   * Registers a consumer. It holds back all messages kept now; a consumer that returns holds back
   * what it did when it left.
   */
  synchronized void register(String consumer) {
    passed.putIfAbsent(consumer, over(first));
  }

  /** Frees what all consumers, including this one, have passed, unless it keeps messages. */
  synchronized void passed(String consumer, long position) {
    if (position > end) {
      throw outOfRange(position);
    }
    passed.merge(consumer, position, Math::max);
    while (!evicts && frees()) {
      // until the first that is needed
    }
  }

  /** Frees the oldest message if no consumer needs it. */
  private boolean frees() {
    long needed = passed.isEmpty() ? end : Collections.min(passed.values());
    if (messages.isEmpty() || messages.firstKey() >= needed) {
      return false;
    }
    Map.Entry<Long, byte[]> oldest = messages.pollFirstEntry();
    first = oldest.getKey() + 1;
    keptBytes -= oldest.getValue().length + ENTRY_BYTES;
    refusal = refused == null ? null : refusal;
    return true;
  }

  /** The position of the first message at or after a position; the end if there is none. */
  private long over(long position) {
    Long next = messages.ceilingKey(position);
    return next == null ? end : next;
  }

  private PositionOutOfRange outOfRange(long position) {
    return new PositionOutOfRange(queue.name(), number, position, over(first), end);
  }

  synchronized long appendedBytes() {
    return appendedBytes;
  }

  synchronized QueueStats stats() {
    return new QueueStats(
        OptionalLong.of(over(first)),
        OptionalLong.of(end),
        OptionalLong.of(keptBytes),
        OptionalLong.of(end),
        Map.copyOf(passed),
        refusal);
  }

  /** Creates a reader, positioned at the first message kept. */
  Tailer tailer() {
    return new Reader();
  }

  private final class Reader implements Tailer {

    private long position = first();
    private volatile boolean closed;

    @Override
    public int partition() {
      return number;
    }

    @Override
    public long position() {
      synchronized (MemoryPartition.this) {
        return position < first ? position : over(position);
      }
    }

    @Override
    public long end() {
      synchronized (MemoryPartition.this) {
        checkOpen();
        return end;
      }
    }

    private long first() {
      synchronized (MemoryPartition.this) {
        checkOpen();
        return first;
      }
    }

    @Override
    public void seek(long to) {
      next(to);
      position = to;
    }

    @Override
    public void toStart() {
      position = first();
    }

    @Override
    public int poll(int max, MessageHandler handler) {
      for (int count = 0; count < max; count++) {
        Map.Entry<Long, byte[]> next = next(position);
        if (next == null) {
          return count;
        }
        handler.handle(next.getKey(), ByteBuffer.wrap(next.getValue()).asReadOnlyBuffer());
        position = next.getKey() + 1;
      }
      return Math.max(max, 0);
    }

    /** The first message at or after a position; null at the end. */
    private Map.@Nullable Entry<Long, byte[]> next(long from) {
      synchronized (MemoryPartition.this) {
        checkOpen();
        if (from < first || from > end) {
          throw outOfRange(from);
        }
        return messages.ceilingEntry(from);
      }
    }

    private void checkOpen() {
      queue.checkOpen();
      if (closed) {
        throw new IllegalStateException(
            "the tailer of partition %d of %s is closed".formatted(number, queue));
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
