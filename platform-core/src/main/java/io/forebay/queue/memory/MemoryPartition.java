/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.Capabilities;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueCounters;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Verification;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One partition of a memory queue: its messages by position. Thread-safe. */
final class MemoryPartition {

  private static final Duration RETRY = Duration.ofSeconds(1);

  /** About what a message takes in the heap besides its bytes. */
  private static final int ENTRY_BYTES = 96;

  private final String queue;
  private final int number;
  private final MemoryBackend.Limits limits;
  private final boolean evicts;
  private final InstantSource clock;
  private final TreeMap<Long, byte[]> messages = new TreeMap<>();
  private final Map<String, Long> passed = new HashMap<>();
  private long first;
  private long end;
  private long keptBytes;
  private long writtenBytes;
  private boolean accepting = true;

  /** The last refusal, until a message like the refused one is taken. */
  private @Nullable Full full;

  /** Why a consumer refuses messages. */
  private @Nullable Refused refused;

  private record Full(int bytes, Instant since) {}

  private record Refused(String why, Instant since) {}

  /**
   * @param evicts whether it keeps what all consumers have passed until it is full
   */
  MemoryPartition(
      String queue, int number, MemoryBackend.Limits limits, boolean evicts, InstantSource clock) {
    this.queue = queue;
    this.number = number;
    this.limits = limits;
    this.evicts = evicts;
    this.clock = clock;
  }

  int number() {
    return number;
  }

  /** Appends a message and returns its position. */
  synchronized long append(ByteBuffer message) {
    int bytes = message.remaining();
    if (bytes > Capabilities.MAX_MESSAGE_BYTES) {
      throw new QueueRefused(
          QueueRefused.Reason.TOO_LARGE,
          text(
              "queue %s refuses a message of %,d bytes (limit=%,d); nothing was written",
              queue, bytes, Capabilities.MAX_MESSAGE_BYTES));
    }
    if (!accepting) {
      throw MemoryQueue.closed(queue);
    }
    if (refused != null) {
      throw new QueueRefused(QueueRefused.Reason.FAILED, refused.why());
    }
    while (evicts && !takes(bytes) && !messages.isEmpty() && messages.firstKey() < needed()) {
      free();
    }
    if (!takes(bytes)) {
      throw isFull(bytes);
    }
    full = null;
    byte[] copy = new byte[bytes];
    message.get(message.position(), copy);
    messages.put(end, copy);
    keptBytes += bytes + ENTRY_BYTES;
    writtenBytes += bytes;
    return end++;
  }

  private boolean takes(int bytes) {
    return keptBytes + bytes + ENTRY_BYTES <= limits.bytes() && messages.size() < limits.messages();
  }

  private QueueRefused isFull(int bytes) {
    Full now = full == null ? new Full(bytes, clock.instant()) : full;
    full = now;
    return new QueueRefused(
        QueueRefused.Reason.FULL,
        fill(),
        RETRY,
        text(
            "partition %d of queue %s has been full since %s (bytes=%,d, limit=%,d; messages=%,d, limit=%,d); %s",
            number,
            queue,
            now.since().truncatedTo(ChronoUnit.SECONDS),
            keptBytes,
            limits.bytes(),
            messages.size(),
            limits.messages(),
            passed.isEmpty()
                ? "no consumer is registered; register one to free space"
                : "it accepts messages again when its slowest consumer has advanced"));
  }

  /** The nearer of the two limits. */
  private double fill() {
    double bytes = (double) keptBytes / limits.bytes();
    double count = (double) messages.size() / limits.messages();
    return Math.min(Math.max(bytes, count), 1);
  }

  /** Refuses all later appends; none is in progress when this returns. */
  synchronized void stopAppends() {
    accepting = false;
  }

  /** Refuses appends for a reason that the consumer gives. */
  synchronized void refuse(String why) {
    refused = new Refused(why + "; nothing was written", clock.instant());
  }

  synchronized void agreed() {
    refused = null;
  }

  synchronized void skipTo(long position) {
    if (position < end) {
      throw new IllegalArgumentException(
          text(
              "partition %d of queue %s cannot skip to %,d (end=%,d); positions only grow",
              number, queue, position, end));
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

  /**
   * Frees what all consumers, including this one, have passed, unless it keeps messages.
   *
   * @throws PositionOutOfRange if the position is beyond the end
   */
  synchronized void passed(String consumer, long position) {
    if (position > end) {
      throw outOfRange(position);
    }
    passed.merge(consumer, position, Math::max);
    while (!evicts && !messages.isEmpty() && messages.firstKey() < needed()) {
      free();
    }
  }

  /** The first position that a consumer needs. */
  private long needed() {
    return passed.isEmpty() ? Long.MAX_VALUE : Collections.min(passed.values());
  }

  private void free() {
    Map.Entry<Long, byte[]> oldest = messages.pollFirstEntry();
    keptBytes -= oldest.getValue().length + ENTRY_BYTES;
    first = oldest.getKey() + 1;
  }

  /** The position of the first message at or after a position; the end if there is none. */
  private long over(long position) {
    Long next = messages.ceilingKey(position);
    return next == null ? end : next;
  }

  synchronized long first() {
    return first;
  }

  synchronized long end() {
    return end;
  }

  /** The position, or the one behind the gap if it lies in a gap. */
  synchronized long overGap(long position) {
    return position < first ? position : over(position);
  }

  /**
   * @throws PositionOutOfRange if the position is before the first message kept or beyond the end
   */
  synchronized void mustHave(long position) {
    if (position < first || position > end) {
      throw outOfRange(position);
    }
  }

  /**
   * The first message at or after a position; null at the end.
   *
   * @throws PositionOutOfRange if the position is before the first message kept
   */
  synchronized Map.@Nullable Entry<Long, byte[]> next(long position) {
    mustHave(position);
    return messages.ceilingEntry(position);
  }

  private PositionOutOfRange outOfRange(long position) {
    return new PositionOutOfRange(queue, number, position, over(first), end);
  }

  /** Memory is not verified: what is kept is as it was written. */
  synchronized Verification verify(long from) {
    return new Verification(over(Math.clamp(from, first, end)), end, null);
  }

  synchronized QueueCounters counters() {
    return new QueueCounters(OptionalLong.of(end), OptionalLong.of(writtenBytes));
  }

  synchronized QueueStats stats() {
    return new QueueStats(
        OptionalLong.of(over(first)),
        OptionalLong.of(end),
        OptionalLong.of(keptBytes),
        OptionalLong.of(end),
        Map.copyOf(passed),
        refusal());
  }

  /** Why messages are refused now, or null. A refusal ends as soon as the refused message fits. */
  private QueueStats.@Nullable Refusal refusal() {
    if (refused != null) {
      return new QueueStats.Refusal(QueueRefused.Reason.FAILED, Double.NaN, refused.since());
    }
    return full == null || takes(full.bytes())
        ? null
        : new QueueStats.Refusal(QueueRefused.Reason.FULL, fill(), full.since());
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
