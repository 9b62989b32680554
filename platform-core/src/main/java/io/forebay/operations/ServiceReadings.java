/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.capacity.ServiceSample;
import io.forebay.machine.Machine;
import io.forebay.service.Latency;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the figures of a service once for all who show them, so that they show the same ones.
 * Thread-safe.
 */
public final class ServiceReadings {

  /** Longer than the second between the readings of the admin module. */
  private static final long OLD_NANOS = Duration.ofSeconds(2).toNanos();

  private static final long LATENCY_NANOS = Duration.ofSeconds(10).toNanos();

  private final ServiceOperations service;
  private final List<Consumer<Reading>> readers = new CopyOnWriteArrayList<>();
  private final List<Consumer<Latency.Snapshot>> listeners = new CopyOnWriteArrayList<>();
  private @Nullable Reading latest;
  private long readAt;
  private OptionalLong acceptedBefore = OptionalLong.empty();
  private long accepted;
  private Latency.Snapshot latency = Latency.Snapshot.sum();
  private Latency.Snapshot coming = Latency.Snapshot.sum();
  private long latencyAt = Machine.nanos();

  /** A service at one moment. */
  public record Reading(ServiceView view, ServiceSample sample, StatementCounts statements) {}

  ServiceReadings(ServiceOperations service) {
    this.service = service;
  }

  /** Reads the service now. */
  public synchronized Reading read(Instant now) {
    ServiceView view = service.view();
    Reading reading = new Reading(view, service.sample(now, view), service.statementTimes());
    reading.sample().accepted().ifPresent(this::count);
    latest = reading;
    readAt = Machine.nanos();
    readers.forEach(reader -> reader.accept(reading));
    return reading;
  }

  private void count(long end) {
    if (acceptedBefore.isEmpty()) {
      acceptedBefore = OptionalLong.of(end);
    }
    accepted = Math.max(accepted, end - acceptedBefore.getAsLong());
  }

  /** The latest reading, which is at most two seconds old. */
  public synchronized Reading latest() {
    Reading reading = latest;
    return reading == null || Machine.nanos() - readAt >= OLD_NANOS ? read(Machine.now()) : reading;
  }

  /** Adds a listener, which receives each reading from then on. */
  public void listen(Consumer<Reading> reader) {
    readers.add(reader);
  }

  /** How many messages the in-queue has accepted since its end was first known. */
  public synchronized long accepted() {
    latest();
    return accepted;
  }

  /** The latencies of the last ten seconds, or since the previous call if that is longer ago. */
  public synchronized Latency.Snapshot latency() {
    if (Machine.nanos() - latencyAt >= LATENCY_NANOS) {
      takeLatencies();
      latency = coming;
      coming = Latency.Snapshot.sum();
      latencyAt = Machine.nanos();
    }
    return latency;
  }

  /**
   * Adds a listener, which receives every latency recorded since then, one snapshot at a time.
   *
   * @param listener must be quick and must not keep the histograms
   */
  public void listenToLatencies(Consumer<Latency.Snapshot> listener) {
    listeners.add(listener);
  }

  /** Passes what was recorded since the last call to all listeners before it returns. */
  public synchronized void takeLatencies() {
    Latency.Snapshot snapshot = service.latency().takeSnapshot();
    coming.add(snapshot);
    listeners.forEach(listener -> listener.accept(snapshot));
  }
}
