/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.machine.Machine;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses messages before the disk is full: an append to a mapped file on a full disk fails with an
 * error of the JVM instead of an exception. Thread-safe.
 */
public final class DiskSpace {

  /** Measures the file system of the data directory. */
  public interface Probe {

    Room measure() throws IOException;
  }

  /**
   * @param usable how many bytes this process may still write
   * @param total the size of the file system
   */
  public record Room(long usable, long total) {

    private double fill() {
      return total <= 0 ? 1 : 1 - (double) usable / total;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);

  /** Accepts messages again only above this multiple of the limit, to avoid flapping. */
  private static final double MARGIN = 1.1;

  /** When to retry an append that was refused; nobody knows when the disk will have room. */
  public static final Duration RETRY = Duration.ofSeconds(10);

  private final Probe probe;
  private final long minFreeBytes;
  private final double minFreeFraction;
  private volatile QueueStats.@Nullable Refusal refusal;
  private boolean probeFailed;

  public DiskSpace(Probe probe, long minFreeBytes, double minFreeFraction) {
    this.probe = probe;
    this.minFreeBytes = minFreeBytes;
    this.minFreeFraction = minFreeFraction;
  }

  public QueueStats.@Nullable Refusal refusal() {
    return refusal;
  }

  /** The free space below which messages are refused, on a disk of the given size. */
  public long reserveBytes(long total) {
    return (long) Math.max((double) minFreeBytes, minFreeFraction * total);
  }

  /**
   * Called when an append found the disk full: refuses messages until the next check finds room.
   */
  public synchronized QueueStats.Refusal full() {
    QueueStats.Refusal now = refusal;
    return now == null ? refuse(1, "an append found the disk full") : now;
  }

  public synchronized void check() {
    Room room;
    try {
      room = probe.measure();
      probeFailed = false;
    } catch (IOException e) {
      if (!probeFailed) {
        probeFailed = true;
        LOG.warn(
            "the free space of the disk with the data directory cannot be read; messages are accepted as before",
            e);
      }
      return;
    }
    double limit = reserveBytes(room.total);
    if (refusal == null && room.usable < limit) {
      refuse(
          room.fill(),
          "%,d bytes of the disk with the data directory are free (limit=%,.0f, set by min-free)"
              .formatted(room.usable, limit));
    } else if (refusal != null && room.usable >= limit * MARGIN) {
      refusal = null;
      LOG.info(
          "{} bytes of the disk with the data directory are free; messages are accepted again",
          String.format("%,d", room.usable));
    } else if (refusal != null) {
      refusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, room.fill(), refusal.since());
    }
  }

  private QueueStats.Refusal refuse(double fill, String what) {
    LOG.warn(
        "{}; new messages are refused until more is free, stored messages can still be read", what);
    QueueStats.Refusal now = new QueueStats.Refusal(QueueRefused.Reason.DISK, fill, Machine.now());
    refusal = now;
    return now;
  }
}
