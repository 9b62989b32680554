/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.machine.Machine;
import io.forebay.service.Latency;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Caches the figures of a service, so that all metrics read the same ones: the view for a second,
 * the latencies for ten seconds. Thread-safe.
 */
public final class LookAt {

  private static final long VIEW_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LATENCY_NANOS = Duration.ofSeconds(10).toNanos();

  private final ServiceOperations service;
  private final long acceptedBefore;
  private ServiceView view;
  private long viewed;
  private final LatencyFeed feed;
  private Latency.Snapshot latency = Latency.Snapshot.sum();
  private Latency.Snapshot coming = Latency.Snapshot.sum();
  private long snapped;

  public LookAt(ServiceOperations service, LatencyFeed feed) {
    this.service = service;
    this.feed = feed;
    view = service.view();
    viewed = Machine.nanos();
    snapped = viewed;
    acceptedBefore = ends(view);
    feed.listen(this::add);
  }

  private synchronized void add(Latency.Snapshot snapshot) {
    coming.add(snapshot);
  }

  public String name() {
    return service.name();
  }

  public synchronized ServiceView view() {
    long now = Machine.nanos();
    if (now - viewed >= VIEW_NANOS) {
      view = service.view();
      viewed = now;
    }
    return view;
  }

  /** See {@link ServiceOperations#skipped}. */
  public long skipped() {
    return service.skipped();
  }

  /** See {@link ServiceOperations#unreceived}. */
  public OptionalLong unreceived() {
    return service.unreceived();
  }

  public Latency.Snapshot latency() {
    if (isLatencyOld()) {
      feed.take(); // without the lock: the listener takes it
      swap();
    }
    return shown();
  }

  private synchronized boolean isLatencyOld() {
    return Machine.nanos() - snapped >= LATENCY_NANOS;
  }

  private synchronized void swap() {
    if (isLatencyOld()) {
      latency = coming;
      coming = Latency.Snapshot.sum();
      snapped = Machine.nanos();
    }
  }

  private synchronized Latency.Snapshot shown() {
    return latency;
  }

  /** How many messages the in-queue has accepted since this object was created. */
  public double accepted() {
    return Math.max(0, ends(view()) - acceptedBefore);
  }

  /**
   * The time until retention deletes the oldest waiting message, in seconds: infinite if no message
   * waits or messages are kept until performed, NaN if its age or the retention time is unknown.
   */
  public double lossSeconds() {
    ServiceView now = view();
    Duration kept = service.keptFor().orElse(null);
    if (service.keepsUnperformed() || now.behind().equals(OptionalLong.of(0))) {
      return Double.POSITIVE_INFINITY;
    }
    Instant oldest = now.oldest();
    return kept == null || oldest == null
        ? Double.NaN
        : Math.max(0, Duration.between(Machine.now(), oldest.plus(kept)).toMillis() / 1e3);
  }

  private static long ends(ServiceView view) {
    return view.partitions().stream().mapToLong(it -> it.end().orElse(0)).sum();
  }
}
