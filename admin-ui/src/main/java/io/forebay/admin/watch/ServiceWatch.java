/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.history.Sampled;
import io.forebay.admin.history.UncleanStop;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.LatencyHistory;
import io.forebay.capacity.Percentiles;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.capacity.series.RingLengths;
import io.forebay.capacity.statement.StatementShares;
import io.forebay.operations.PartitionView;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceReadings;
import io.forebay.operations.ServiceView;
import io.forebay.operations.failures.Failures;
import io.forebay.report.OpenFailures;
import io.forebay.report.Outage;
import io.forebay.report.RecentCounts;
import io.forebay.report.RecentFailures;
import io.forebay.service.Latency;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One service and its history. Sampled by one thread, read by many. */
final class ServiceWatch implements Sampled {

  static final Duration P99_OVER = Duration.ofMinutes(10);
  private static final int P99 = 990_000;

  /** How often latencies and the line of 15 minutes are sampled; their steps need no more. */
  private static final int LATENCY_SECONDS = 10;

  /** The share of failures is that of so many seconds at least. */
  private static final int LATELY = 5;

  private static final Duration QUARTER = Duration.ofMinutes(15);

  /** The samples show only after this time whether a database that responds again performs much. */
  private static final Duration RETURN = Duration.ofSeconds(3);

  /** In these phases the queue was compared with what was performed. */
  private static final Set<ServiceState.Phase> COMPARED =
      EnumSet.of(ServiceState.Phase.RUNNING, ServiceState.Phase.DRAINING);

  static final String READ = "read";
  static final String PERFORMING = "performing";
  private static final String PERFORMED = "performed";
  private static final String ANSWERED = "answered";

  private final ServiceOperations service;
  private final ServiceReadings readings;
  private final InstantSource clock;
  private final Duration limit;
  private final int slot;
  private final ServiceHistory history;
  private final Map<String, LatencyHistory> stations = new LinkedHashMap<>();
  private final StatementShares statements = new StatementShares();
  private final RecentCounts recent = new RecentCounts(15, 60);
  private final StateSince stateSince = new StateSince();
  private volatile ServiceView view;
  private volatile boolean compared;
  private volatile @Nullable Outage outage;
  private final RecentCounts lastMinute = new RecentCounts(1, 61);
  private volatile @Nullable Instant lastFailed;
  private volatile RecentFailures failures = counted(Instant.EPOCH);
  private volatile Figure<Duration> p99 = Figure.unknown("not sampled yet");

  /**
   * @param limit the longest wait allowed
   */
  ServiceWatch(
      ServiceOperations service,
      ServiceReadings readings,
      Duration limit,
      RingLengths lengths,
      InstantSource clock) {
    this.service = service;
    this.readings = readings;
    this.limit = limit;
    this.clock = clock;
    this.slot = Math.floorMod(service.name().hashCode(), LATENCY_SECONDS);
    history = new ServiceHistory(lengths);
    for (String station : new String[] {READ, PERFORMING, PERFORMED, ANSWERED}) {
      stations.put(station, new LatencyHistory());
    }
    view = readings.latest().view();
    readings.listenToLatencies(this::add);
  }

  private void add(Latency.Snapshot snapshot) {
    Instant now = clock.instant();
    station(READ).add(now, snapshot.read());
    station(PERFORMING).add(now, snapshot.performing());
    station(PERFORMED).add(now, snapshot.performed());
    station(ANSWERED).add(now, snapshot.answered());
  }

  LatencyHistory station(String name) {
    return Objects.requireNonNull(stations.get(name));
  }

  @Override
  public String name() {
    return service.name();
  }

  /** The service before it in a pipeline. */
  Optional<String> stageBefore() {
    return service.stageBefore();
  }

  /**
   * How far it is behind; without a rate if it performs nothing because it waits for its database
   * or its results have no room.
   */
  Lag lag() {
    Lag lag = history.lag(limit);
    return isAway(outage) || view.hasNoRoomForResults() ? lag.stopped(limit) : lag;
  }

  /**
   * The outage of its database, until the first batch after it is committed; null if there is none,
   * or if it waits for something else: the brokers, room in its out-queue, one message, or an
   * instance that owns its partitions, or a lock.
   */
  @Nullable Outage outage() {
    return outage;
  }

  private static boolean isAway(@Nullable Outage outage) {
    return outage != null && !outage.isOver();
  }

  private @Nullable Outage outage(ServiceView seen, Instant now) {
    Outage before = outage;
    if (isDatabaseAway(seen)) { // the state's own time starts over with each reason
      return isAway(before) ? before : new Outage(seen.state().since(), null);
    }
    if (before == null) {
      return null;
    }
    Instant back = before.until();
    if (back == null) {
      return new Outage(before.since(), now);
    }
    return history.isReturning() || now.isBefore(back.plus(RETURN)) ? before : null;
  }

  private boolean isDatabaseAway(ServiceView seen) {
    return service.usesDatabase()
        && seen.state().phase() == ServiceState.Phase.WAITING
        && seen.accepts()
        && seen.lockHolder() == null
        && seen.stall().isEmpty()
        && seen.partitions().stream()
            .allMatch(it -> it.waitsFor() == null && it.out().refusal() == null)
        && !isForQueue(seen);
  }

  /** Once its queue accepts messages again, it still waits until its next attempt. */
  private static boolean isForQueue(ServiceView seen) {
    return seen.state().waitsForQueue()
        || seen.partitions().stream()
            .map(PartitionView::state)
            .anyMatch(it -> it != null && it.waitsForQueue());
  }

  /** What it looks like after an unclean stop. */
  UncleanStop.Of afterStop() {
    return new UncleanStop.Of(
        service.name(), service.durability().orElse(null), view.state().phase(), compared);
  }

  /** For one thread. */
  StateSince stateSince() {
    return stateSince;
  }

  /** The names of its in-queue and its out-queue. */
  List<String> queues() {
    return service.queues();
  }

  Duration limit() {
    return limit;
  }

  ServiceHistory past() {
    return history;
  }

  /** The latencies by station, in the order in which a message passes them. */
  Map<String, LatencyHistory> stations() {
    return stations;
  }

  /** See {@link ServiceOperations#loss}. */
  Figure<Until> loss() {
    return service.loss(past().lag(limit).behind());
  }

  /** That time divided by the retention time. */
  Figure<Double> lossShare() {
    double kept = service.keptFor().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    return loss().map(until -> until.left().map(left -> left.toNanos() / kept).orElse(1.0));
  }

  /** The view of the latest sample. */
  ServiceView view() {
    return view;
  }

  /** What failed lately. */
  RecentFailures failures(@Nullable OpenFailures open) {
    RecentFailures seen = failures;
    return open == null
        ? seen
        : new RecentFailures(
            seen.quarter(),
            seen.minute(),
            seen.lately(),
            seen.sinceLast(),
            open.of(name(), view.counts()).orElse(null),
            open.most(name()).filter(this::isOfLastFailures).orElse(null));
  }

  /** Whether a group is not one of earlier failures, of which no alert tells any longer. */
  private boolean isOfLastFailures(Failures.Group group) {
    Instant failed = lastFailed;
    return failed != null && failed.minus(QUARTER).isBefore(group.last());
  }

  private RecentFailures counted(Instant now) {
    Instant failed = lastFailed;
    return new RecentFailures(
        recent.counts(),
        lastMinute.counts(),
        lastMinute.sinceFailing(LATELY),
        failed == null ? null : Duration.between(failed, now),
        null,
        null);
  }

  /** The 99th percentile from acceptance until performed, over the last 10 minutes. */
  Figure<Duration> p99() {
    return p99;
  }

  /** Which statements take the time of its database, of the last five minutes. */
  StatementShares.Slowest slowest() {
    return statements.slowest();
  }

  @Override
  public void sample(Instant now) {
    ServiceReadings.Reading reading = readings.read(now);
    history.add(reading.sample());
    ServiceView seen = reading.view();
    if (seen.counts().failed() > view.counts().failed()) {
      lastFailed = now;
    }
    List.of(recent, lastMinute).forEach(it -> it.add(now, seen.counts()));
    failures = counted(now);
    view = seen;
    outage = outage(seen, now);
    compared |= COMPARED.contains(seen.state().phase());
    if (Math.floorMod(now.getEpochSecond(), LATENCY_SECONDS) == slot) {
      statements.add(now, reading.statements());
      readings.takeLatencies();
      Percentiles percentiles =
          station(PERFORMED).percentiles(now.minus(P99_OVER), now.plusSeconds(1));
      p99 = Objects.requireNonNull(percentiles.values().get(P99));
    }
  }
}
