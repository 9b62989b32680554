/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.callers.RateLimit;
import io.forebay.operations.callers.RateLimits;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Makes the callers follow the limits that operators have set at any instance, within a second.
 * While the system database is away, the last known ones hold, until their end; a process that
 * starts then knows none. Thread-safe.
 */
public final class CommandedLimits implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(CommandedLimits.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  /** How long the start waits for the first result. */
  private static final Duration FIRST = Duration.ofSeconds(2);

  private final Supplier<RateLimits> stored;
  private final Callers callers;
  private final InstantSource clock;
  private final BackgroundTask task;
  private volatile List<RateLimit> last = List.of();

  /**
   * @param stored asked for when it is first used: an embedded database is opened after the queues
   */
  public CommandedLimits(Supplier<RateLimits> stored, Callers callers, InstantSource clock) {
    this.stored = stored;
    this.callers = callers;
    this.clock = clock;
    task =
        new BackgroundTask(
            "forebay-caller-limits",
            EVERY,
            new Outage(
                log, "Reading limits of callers", "the last ones hold, retrying every second"),
            this::follow);
  }

  /** Takes over what is stored, and ends what has ended. */
  synchronized void follow() {
    try {
      last = stored.get().all();
    } finally {
      apply();
    }
  }

  private void apply() {
    callers.command(
        inForce().stream().collect(Collectors.toMap(RateLimit::caller, RateLimit::perSecond)));
  }

  /** The limits that hold now, by the names of the callers. */
  List<RateLimit> inForce() {
    Instant now = clock.instant();
    return last.stream().filter(it -> !it.hasEndedAt(now)).toList();
  }

  /** As {@link RateLimits#put}; it holds here when this returns. */
  void put(RateLimit limit) {
    stored.get().put(limit);
    follow();
  }

  /** As {@link RateLimits#remove}; it no longer holds here when this returns. */
  void remove(String caller) {
    stored.get().remove(caller);
    follow();
  }

  /** Waits a moment for the database, so that the door is not open without the limits. */
  @Override
  public void start() {
    task.startAndAwaitSuccess(FIRST);
  }

  @Override
  public void stop() {
    task.close();
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  /** Starts before the door is open. */
  @Override
  public int getPhase() {
    return -1;
  }
}
