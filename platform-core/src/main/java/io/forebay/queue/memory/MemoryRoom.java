/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a partition has room for a message, and builds the refusal if not. Thread-safe;
 * the partition's lock ensures that the room is still there when it is used.
 */
final class MemoryRoom {

  /**
   * A refused caller is asked to retry when a tenth of the partition is free, not when one message
   * fits.
   */
  private static final int PART_TO_COME_BACK = 10;

  private final MemoryBackend.Limits limits;
  private final InstantSource clock;
  private final Ring ring;
  private final DrainRate drained;
  private volatile @Nullable Full full;

  /** Since when there has been no room for a frame of some size. */
  private record Full(long frameBytes, Instant since) {}

  MemoryRoom(MemoryBackend.Limits limits, InstantSource clock, Ring ring, DrainRate drained) {
    this.limits = limits;
    this.clock = clock;
    this.ring = ring;
    this.drained = drained;
  }

  boolean takes(long frameBytes) {
    return ring.usedBytes() + frameBytes <= limits.bytes() && ring.usedFrames() < limits.messages();
  }

  /** A message was appended: the partition is no longer full, whatever it refused before. */
  void taken() {
    if (full != null) {
      full = null;
    }
  }

  /** Marks the partition full, unless it is already, and returns the refusal of a frame. */
  QueueRefused refuse(long frameBytes, String partition, boolean anyConsumer) {
    Instant since = fullSince(frameBytes);
    return new QueueRefused(
        QueueRefused.Reason.FULL,
        fill(),
        retryAfter(frameBytes),
        String.format(
            Locale.ROOT,
            "%s has been full since %s (bytes=%,d, limit=%,d; messages=%,d, limit=%,d); %s",
            partition,
            since.truncatedTo(ChronoUnit.SECONDS),
            ring.usedBytes(),
            limits.bytes(),
            ring.usedFrames(),
            limits.messages(),
            anyConsumer
                ? "it accepts messages again when its slowest consumer has advanced"
                : "no consumer is registered; register one to free space"));
  }

  private synchronized Instant fullSince(long frameBytes) {
    Full before = full;
    if (before == null) {
      before = new Full(frameBytes, clock.instant());
      full = before;
    }
    return before.since();
  }

  private Duration retryAfter(long frameBytes) {
    return drained.timeFor(Math.max(frameBytes, limits.bytes() / PART_TO_COME_BACK));
  }

  /** The nearer of the two limits. */
  private double fill() {
    double bytes = (double) ring.usedBytes() / limits.bytes();
    double messages = (double) ring.usedFrames() / limits.messages();
    return Math.clamp(Math.max(bytes, messages), 0, 1);
  }

  /** Why messages are refused now, or null. A refusal ends as soon as the refused message fits. */
  QueueStats.@Nullable Refusal refusal() {
    Full now = full;
    return now == null || takes(now.frameBytes())
        ? null
        : new QueueStats.Refusal(QueueRefused.Reason.FULL, fill(), now.since());
  }
}
