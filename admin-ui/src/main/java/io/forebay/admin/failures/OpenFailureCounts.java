/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.Services;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.report.OpenFailures;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * How many failed messages of each service are open, of all instances and also from before a
 * restart. A thread of its own counts them: within 2 s after a failure (5 s if there are more than
 * are counted), every 5 s while some are open, otherwise once a minute. Those that fail in this
 * process count at once. While a database does not respond, its last counts stay. Thread-safe;
 * {@link #of} never blocks.
 */
public final class OpenFailureCounts implements OpenFailures, SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(OpenFailureCounts.class);

  /** How long a stop waits for a count that is running. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** After so many failures, their cause is looked for again. */
  private static final int MANY = 10;

  private static final ServiceCounts NOTHING = new ServiceCounts(0, 0, 0, 0, 0);
  private static final Duration EVERY = Duration.ofSeconds(2);
  private static final Duration WHILE_OPEN = Duration.ofSeconds(5);
  private static final Duration OTHERWISE = Duration.ofMinutes(1);

  private final Services services;
  private final Failures failures;
  private final InstantSource clock;
  private final Map<String, Counted> counted = new ConcurrentHashMap<>();
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-open-failures",
          EVERY,
          new Outage(
              log, "Counting open failures", "the last counts are shown, retrying every 2 s"),
          this::count);

  OpenFailureCounts(Services services, Failures failures, InstantSource clock) {
    this.services = services;
    this.failures = failures;
    this.clock = clock;
  }

  private static Open open(long count) {
    return new Open(Math.min(count, Failures.MAX_COUNTED), count > Failures.MAX_COUNTED);
  }

  /**
   * @param seen what this process had counted before
   */
  private record Counted(Open open, ServiceCounts seen, Instant at, Known known) {

    Open open(ServiceCounts now) {
      return open.capped()
          ? open
          : OpenFailureCounts.open(Math.max(0, open.count() + inAll(now) - inAll(seen)));
    }
  }

  /**
   * @param most null if no failure was open
   * @param seen how many messages had failed in this process when it was looked for
   */
  private record Known(Failures.@Nullable Group most, long seen) {}

  /** Kept until many more have failed. */
  @Override
  public Optional<Failures.Group> most(String service) {
    return Optional.ofNullable(counted.get(service)).map(Counted::known).map(Known::most);
  }

  @Override
  public Optional<Open> of(String service, ServiceCounts now) {
    return Optional.ofNullable(counted.get(service)).map(it -> it.open(now));
  }

  /** Counts those that are due. */
  void count() {
    Unavailable failure = null;
    for (String service : services.all().stream().map(it -> it.name()).toList()) {
      try {
        count(service);
      } catch (Unavailable e) {
        failure = e; // the databases of others may respond
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void count(String service) {
    ServiceCounts seen = services.find(service).map(it -> it.view().counts()).orElse(NOTHING);
    Counted before = counted.get(service);
    if (before != null && !isDue(before, seen)) {
      return;
    }
    long open = failures.count(service, Failure.State.OPEN, Failures.MAX_COUNTED + 1);
    Known known = known(service, before, inAll(seen));
    counted.put(service, new Counted(OpenFailureCounts.open(open), seen, clock.instant(), known));
  }

  private Known known(String service, @Nullable Counted before, long seen) {
    Known known = before == null ? new Known(null, 0) : before.known();
    if (seen - known.seen() < MANY) {
      return known;
    }
    return failures.groups(service, clock.instant().minus(OTHERWISE)).stream()
        .max(Comparator.comparing(Failures.Group::lastMinute))
        .map(it -> new Known(it, seen))
        .orElseGet(() -> new Known(known.most(), seen));
  }

  private static long inAll(ServiceCounts counts) {
    return counts.failed() + counts.deadLetters();
  }

  private boolean isDue(Counted before, ServiceCounts seen) {
    boolean isOpen = before.open().count() > 0;
    Duration pause = isOpen ? WHILE_OPEN : OTHERWISE;
    boolean hasMore =
        inAll(seen) != inAll(before.seen()) && !before.open().capped(); // more is shown alike
    return hasMore || !clock.instant().isBefore(before.at().plus(pause));
  }

  @Override
  public void start() {
    task.start(EVERY);
  }

  @Override
  public void stop() {
    task.close(PATIENCE);
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  /** Stops before the services. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
