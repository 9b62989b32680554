/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceOperations;
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

/**
 * How many failed messages of each service are open, of all instances and also from before a
 * restart. A thread of its own counts them: within 2 s after a failure (5 s if there are more than
 * are counted), every 5 s while some are open, otherwise once a minute. Those that fail in this
 * process count at once. While a database does not respond, its last counts stay. Thread-safe;
 * {@link #of} never blocks.
 */
final class OpenFailureCounts implements OpenFailures {

  private static final Logger log = LoggerFactory.getLogger(OpenFailureCounts.class);

  /** After so many failures, their cause is looked for again. */
  private static final int MANY = 10;

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
   * @param failed how many messages had failed in this process before it was counted
   * @param most the group of most failures of a minute; null if no failure was open
   * @param mostAt how many messages had failed in this process when that group was looked for
   */
  private record Counted(
      Open open, long failed, Instant at, Failures.@Nullable Group most, long mostAt) {}

  /** Kept until many more have failed. */
  @Override
  public Optional<Failures.Group> most(String service) {
    return Optional.ofNullable(counted.get(service)).map(Counted::most);
  }

  @Override
  public Optional<Open> of(String service, ServiceCounts now) {
    return Optional.ofNullable(counted.get(service))
        .map(it ->
            it.open().capped()
                ? it.open()
                : open(Math.max(0, it.open().count() + failed(now) - it.failed())));
  }

  /** Counts those that are due. */
  void count() {
    Unavailable failure = null;
    for (ServiceOperations service : services.all()) {
      try {
        count(service.name(), failed(service.view().counts()));
      } catch (Unavailable e) {
        failure = e; // the databases of others may respond
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void count(String service, long failed) {
    Counted before = counted.get(service);
    if (before != null && !isDue(before, failed)) {
      return;
    }
    long open = failures.count(service, Failure.State.OPEN, Failures.MAX_COUNTED + 1);
    Instant now = clock.instant();
    Failures.Group most = before == null ? null : before.most();
    long mostAt = before == null ? 0 : before.mostAt();
    if (failed - mostAt >= MANY) {
      Failures.Group found =
          failures.groups(service, now.minus(OTHERWISE)).stream()
              .max(Comparator.comparing(Failures.Group::lastMinute))
              .orElse(null);
      mostAt = failed;
      most = found == null ? most : found;
    }
    counted.put(service, new Counted(open(open), failed, now, most, mostAt));
  }

  private static long failed(ServiceCounts counts) {
    return counts.failed() + counts.deadLetters();
  }

  private boolean isDue(Counted before, long failed) {
    boolean hasMore = failed != before.failed() && !before.open().capped(); // more is shown alike
    Duration pause = before.open().count() > 0 ? WHILE_OPEN : OTHERWISE;
    return hasMore || !clock.instant().isBefore(before.at().plus(pause));
  }

  /** Counts while it runs. */
  BackgroundTask task() {
    return task;
  }
}
