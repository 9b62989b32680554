/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses messages before the disk is full, since to append to a mapped file on a full disk is an
 * error of the machine and not an exception. Thread-safe.
 */
final class DiskSpace {

  /** What a file system has. */
  interface Probe {
    /** Bytes this process may still write. */
    long usable() throws IOException;

    long total() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);

  /** Accepts again only with this much more than the limit, so as not to flicker. */
  private static final double MARGIN = 1.1;

  /** Told as long as the disk gets no emptier: nobody knows when it will. */
  private static final Duration UNKNOWN = Duration.ofSeconds(30);

  private static final Duration LEAST = Duration.ofSeconds(1);

  private final Probe probe;
  private final long minFreeBytes;
  private final double minFreeFraction;
  private final LongSupplier nanos;
  private volatile Duration retryAfter = UNKNOWN;

  /** The least that was free since messages are refused, and when that was. */
  private long least;

  private long leastAt;
  private volatile QueueStats.@Nullable Refusal refusal;
  private boolean probeFailed;

  DiskSpace(Probe probe, long minFreeBytes, double minFreeFraction, LongSupplier nanos) {
    this.probe = probe;
    this.nanos = nanos;
    this.minFreeBytes = minFreeBytes;
    this.minFreeFraction = minFreeFraction;
  }

  QueueStats.@Nullable Refusal refusal() {
    return refusal;
  }

  /** Messages are refused when less than this is free, on a disk of that size. */
  long reserveBytes(long total) {
    return (long) Math.max((double) minFreeBytes, minFreeFraction * total);
  }

  /**
   * When messages will be taken again if the disk goes on to get emptier as it does; 1 s to 30 s.
   */
  Duration retryAfter() {
    return retryAfter;
  }

  /** An append met a full disk: refuses at once, until a check says otherwise. */
  synchronized QueueStats.Refusal full() {
    QueueStats.Refusal now = refusal;
    return now == null ? refuse(1, "an append found the disk full") : now;
  }

  synchronized void check() {
    long usable;
    long total;
    try {
      usable = probe.usable();
      total = probe.total();
      probeFailed = false;
    } catch (IOException e) {
      if (!probeFailed) {
        probeFailed = true;
        LOG.warn("cannot tell how much of the disk is free; messages are accepted as before", e);
      }
      return;
    }
    double limit = reserveBytes(total);
    watch(usable, limit * MARGIN);
    if (refusal == null && usable < limit) {
      refuse(
          fill(usable, total),
          "%,d bytes of the disk with the data directory are free (limit=%,.0f, set by min-free)"
              .formatted(usable, limit));
    } else if (refusal != null && usable >= limit * MARGIN) {
      refusal = null;
      LOG.info(
          "{} bytes of the disk with the data directory are free; messages are accepted again",
          String.format("%,d", usable));
    } else if (refusal != null) {
      refusal =
          new QueueStats.Refusal(QueueRefused.Reason.DISK, fill(usable, total), refusal.since());
    }
  }

  private void watch(long usable, double wanted) {
    long now = nanos.getAsLong();
    if (refusal == null || usable <= least) {
      least = usable;
      leastAt = now;
      retryAfter = UNKNOWN;
      return;
    }
    double perNano = (double) (usable - least) / Math.max(1, now - leastAt);
    double wait = Math.max(0, wanted - usable) / perNano;
    retryAfter = Duration.ofNanos((long) Math.clamp(wait, LEAST.toNanos(), UNKNOWN.toNanos()));
  }

  private QueueStats.Refusal refuse(double fill, String what) {
    LOG.warn("{}; messages are refused until there is more, what is stored is still read", what);
    QueueStats.Refusal now = new QueueStats.Refusal(QueueRefused.Reason.DISK, fill, Instant.now());
    refusal = now;
    return now;
  }

  private static double fill(long usable, long total) {
    return total <= 0 ? 1 : 1 - (double) usable / total;
  }
}
