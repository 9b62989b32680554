/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.history.Sampled;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * A thread that samples all sources at each second of the wall clock and then makes the snapshot.
 * Seconds that it misses are gaps. It stops before the server, so that streams end and a graceful
 * stop need not wait for them.
 */
final class SamplingLoop implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(SamplingLoop.class);
  private static final long SECOND_MILLIS = 1_000;

  private final List<Sampled> all;
  private final Consumer<Instant> snapshot;
  private final KnownRates rates;
  private final Frames frames;
  private final InstantSource clock = InstantSource.system();
  private final Map<String, Outage> outages = new HashMap<>();
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-sampling", this::untilTheNextSecond, outage("all sources"), this::second);

  /**
   * @param snapshot makes the snapshot as of a moment
   */
  SamplingLoop(List<Sampled> all, Consumer<Instant> snapshot, KnownRates rates, Frames frames) {
    this.all = all;
    this.snapshot = snapshot;
    this.rates = rates;
    this.frames = frames;
  }

  @Override
  public void start() {
    rates.start();
    task.start();
  }

  /**
   * One millisecond longer, so that a clock that is slewed does not reach the same second twice.
   */
  private Duration untilTheNextSecond() {
    return Duration.ofMillis(SECOND_MILLIS - clock.millis() % SECOND_MILLIS + 1);
  }

  private static Outage outage(String source) {
    return new Outage(log, "Sampling of " + source, "it is retried every second");
  }

  private void second() {
    Instant now = clock.instant();
    for (Sampled one : all) {
      guarded(one.name(), () -> one.sample(now));
    }
    guarded("the snapshot", () -> snapshot.accept(now));
  }

  /** A failure leaves a gap; the other sources are still sampled. */
  private void guarded(String source, Runnable action) {
    Outage outage = outages.computeIfAbsent(source, SamplingLoop::outage);
    try {
      action.run();
      outage.over();
    } catch (RuntimeException | Error e) {
      outage.failed(e);
    }
  }

  @Override
  public void stop() {
    frames.close();
    task.close();
    rates.stop();
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  /** Stops first. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
