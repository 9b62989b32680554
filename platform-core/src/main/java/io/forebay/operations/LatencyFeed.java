/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.service.Latency;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Reads the latencies of a service and passes them to all listeners; each receives every value
 * recorded since it was added. Thread-safe.
 */
public final class LatencyFeed {

  private final Latency latency;
  private final List<Consumer<Latency.Snapshot>> listeners = new CopyOnWriteArrayList<>();

  LatencyFeed(Latency latency) {
    this.latency = latency;
  }

  /**
   * Adds a listener, which receives one snapshot at a time.
   *
   * @param listener must be quick and must not keep the histograms
   */
  public void listen(Consumer<Latency.Snapshot> listener) {
    listeners.add(listener);
  }

  /**
   * Takes what was recorded since the last call and passes it to all listeners before it returns.
   */
  public synchronized void take() {
    Latency.Snapshot snapshot = latency.takeSnapshot();
    listeners.forEach(listener -> listener.accept(snapshot));
  }
}
