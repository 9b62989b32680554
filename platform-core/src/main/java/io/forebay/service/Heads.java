/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The append times of the messages that a service performs next. Each is read from the queue once
 * and cached while it is the next one, for instance while a service is paused or waits.
 * Thread-safe.
 */
final class Heads {

  /** The interval after which a failed read is retried. */
  private static final long AGAIN_NANOS = Duration.ofSeconds(10).toNanos();

  /** The longest wait for a message that a shared queue delivers a moment later. */
  private static final Duration A_MOMENT = Duration.ofMillis(100);

  private final MessageQueue queue;
  private final AtomicReferenceArray<@Nullable Head> remembered;

  private record Head(long position, Optional<Instant> appended, long readNanos) {}

  Heads(MessageQueue queue) {
    this.queue = queue;
    remembered = new AtomicReferenceArray<>(queue.partitions());
  }

  /** When the first message at or behind the position was appended; empty if unknown. */
  Optional<Instant> appended(int partition, long position) {
    Head known = remembered.get(partition);
    if (known != null
        && known.position == position
        && (known.appended.isPresent() || Machine.nanos() - known.readNanos < AGAIN_NANOS)) {
      return known.appended;
    }
    Head read = new Head(position, read(partition, position), Machine.nanos());
    remembered.set(partition, read);
    return read.appended;
  }

  private Optional<Instant> read(int partition, long position) {
    if (queue.outage().isPresent()) {
      return Optional.empty(); // a reader of figures must not wait for an unavailable server
    }
    @Nullable Instant[] appended = {null};
    try (Tailer tailer = queue.tailer(partition)) {
      tailer.seek(position);
      tailer.pollBefore(
          Long.MAX_VALUE,
          A_MOMENT,
          (at, message) ->
              appended[0] = Message.peek(queue.name(), partition, at, message).appendTime());
    } catch (QueueUnavailable
        | PositionOutOfRange
        | QueueFailed
        | UndecodableMessage
        | IllegalStateException _) {
      return Optional.empty(); // already performed, damaged, not readable here, or closed
    }
    return Optional.ofNullable(appended[0]);
  }
}
