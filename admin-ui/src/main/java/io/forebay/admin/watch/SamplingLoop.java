/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final List<Sampled> all;
  private final Consumer<Instant> snapshot;
  private final Histories histories;
  private final Frames frames;
  private final InstantSource clock = InstantSource.system();
  private final Set<String> failing = new HashSet<>();
  private boolean running;
  private Thread thread = new Thread();

  /**
   * @param snapshot makes the snapshot as of a moment
   */
  SamplingLoop(List<Sampled> all, Consumer<Instant> snapshot, Histories histories, Frames frames) {
    this.all = all;
    this.snapshot = snapshot;
    this.histories = histories;
    this.frames = frames;
  }

  @Override
  public synchronized void start() {
    histories.start();
    running = true;
    thread = Thread.ofPlatform().name("forebay-sampling").daemon().unstarted(this::run);
    thread.start();
  }

  private void run() {
    second(clock.instant());
    while (isRunningAtTheNextSecond()) {
      second(clock.instant());
    }
  }

  /** Samples everything once. */
  void second(Instant now) {
    for (Sampled one : all) {
      guarded(one.history(), () -> one.sample(now));
    }
    guarded("the snapshot", () -> snapshot.accept(now));
  }

  /** Logs a failure, which leaves a gap; the other sources are still sampled. */
  private void guarded(String what, Runnable action) {
    try {
      action.run();
      if (failing.remove(what)) {
        log.info("Sampling of {} works again", what);
      }
    } catch (RuntimeException | Error e) {
      if (failing.add(what)) {
        log.error("Sampling of {} failed; retried every second", what, e);
      }
    }
  }

  private synchronized boolean isRunningAtTheNextSecond() {
    long next = (clock.millis() / 1000 + 1) * 1000;
    try {
      for (long left = next - clock.millis(); running && left > 0; left = next - clock.millis()) {
        wait(Math.min(left, SECOND.toMillis()));
        if (next - clock.millis() > SECOND.toMillis()) {
          break; // the clock was set back
        }
      }
    } catch (InterruptedException _) {
      return false;
    }
    return running;
  }

  @Override
  public void stop() {
    Thread current;
    synchronized (this) {
      running = false;
      current = thread;
      notifyAll();
    }
    frames.close();
    try {
      current.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    histories.stop();
  }

  @Override
  public synchronized boolean isRunning() {
    return running;
  }

  /** Stops first. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
