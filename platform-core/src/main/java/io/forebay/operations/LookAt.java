/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.capacity.Percentiles;
import io.forebay.service.Latency;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;

/**
 * What was last seen of a service. It is looked at again after a second, and its latencies are
 * those of ten seconds, so that several who ask see the same. Thread-safe.
 */
final class LookAt {

  private static final long VIEW_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LATENCY_NANOS = Duration.ofSeconds(10).toNanos();

  private final ServiceOperations service;
  private final long acceptedBefore;
  private ServiceView view;
  private long viewed;
  private final LatencyFeed feed;
  private Latency.Snapshot latency = empty();
  private Latency.Snapshot coming = empty();
  private long snapped;

  LookAt(ServiceOperations service, LatencyFeed feed) {
    this.service = service;
    this.feed = feed;
    view = service.view();
    viewed = System.nanoTime();
    snapped = viewed;
    acceptedBefore = ends(view);
    feed.listen(this::add);
  }

  private static Latency.Snapshot empty() {
    return new Latency.Snapshot(histogram(), histogram(), histogram());
  }

  private static Histogram histogram() {
    return Percentiles.merge(List.of());
  }

  private synchronized void add(Latency.Snapshot snapshot) {
    coming.read().add(snapshot.read());
    coming.performed().add(snapshot.performed());
    coming.answered().add(snapshot.answered());
  }

  String name() {
    return service.name();
  }

  synchronized ServiceView view() {
    long now = System.nanoTime();
    if (now - viewed >= VIEW_NANOS) {
      view = service.view();
      viewed = now;
    }
    return view;
  }

  Latency.Snapshot latency() {
    if (isLatencyOld()) {
      feed.take(); // without the lock, which its listener takes
      swap();
    }
    return shown();
  }

  private synchronized boolean isLatencyOld() {
    return System.nanoTime() - snapped >= LATENCY_NANOS;
  }

  private synchronized void swap() {
    if (isLatencyOld()) {
      latency = coming;
      coming = empty();
      snapped = System.nanoTime();
    }
  }

  private synchronized Latency.Snapshot shown() {
    return latency;
  }

  /** How many messages the in-queue took since the metrics began. */
  double accepted() {
    return Math.max(0, ends(view()) - acceptedBefore);
  }

  /**
   * Until the oldest message that waits is deleted, performed or not: infinite if none waits or
   * nothing is deleted before it is performed, NaN if it is not known how old it is or how long it
   * is kept.
   */
  double lossSeconds() {
    ServiceView now = view();
    Duration kept = service.keptFor().orElse(null);
    if (service.keepsUnperformed() || now.behind().equals(OptionalLong.of(0))) {
      return Double.POSITIVE_INFINITY;
    }
    Instant oldest = now.oldest();
    return kept == null || oldest == null
        ? Double.NaN
        : Math.max(0, Duration.between(Instant.now(), oldest.plus(kept)).toMillis() / 1e3);
  }

  private static long ends(ServiceView view) {
    return view.partitions().stream().mapToLong(it -> it.end().orElse(0)).sum();
  }
}
