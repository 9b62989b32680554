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
 * The one reader of the latencies of a service, for all who want them: each sees every value, from
 * when it began to listen. Thread-safe.
 */
public final class LatencyFeed {

  private final Latency latency;
  private final List<Consumer<Latency.Snapshot>> listeners = new CopyOnWriteArrayList<>();

  LatencyFeed(Latency latency) {
    this.latency = latency;
  }

  /**
   * Hands each snapshot to a listener, one at a time.
   *
   * @param listener must be quick and must not keep the histograms
   */
  public void listen(Consumer<Latency.Snapshot> listener) {
    listeners.add(listener);
  }

  /** Takes what was recorded since the last call, and has told all listeners when it returns. */
  public synchronized void take() {
    Latency.Snapshot snapshot = latency.takeSnapshot();
    listeners.forEach(listener -> listener.accept(snapshot));
  }
}
