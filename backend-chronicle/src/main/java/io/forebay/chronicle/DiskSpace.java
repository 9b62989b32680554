/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import java.io.IOException;
import java.time.Instant;
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

  private final Probe probe;
  private final long minFreeBytes;
  private final double minFreeFraction;
  private volatile QueueStats.@Nullable Refusal refusal;
  private boolean probeFailed;

  DiskSpace(Probe probe, long minFreeBytes, double minFreeFraction) {
    this.probe = probe;
    this.minFreeBytes = minFreeBytes;
    this.minFreeFraction = minFreeFraction;
  }

  QueueStats.@Nullable Refusal refusal() {
    return refusal;
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
    double limit = Math.max((double) minFreeBytes, minFreeFraction * total);
    if (refusal == null && usable < limit) {
      refuse(
          fill(usable, total),
          "%,d bytes of the disk are free (limit=%,.0f)".formatted(usable, limit));
    } else if (refusal != null && usable >= limit * MARGIN) {
      refusal = null;
      LOG.info("{} bytes of the disk are free; messages are accepted again", usable);
    } else if (refusal != null) {
      refusal =
          new QueueStats.Refusal(QueueRefused.Reason.DISK, fill(usable, total), refusal.since());
    }
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
