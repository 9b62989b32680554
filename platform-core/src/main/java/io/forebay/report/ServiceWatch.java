/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.capacity.Figure;
import io.forebay.capacity.LatencyHistory;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceReadings;
import io.forebay.operations.ServiceView;
import io.forebay.operations.failures.Failures;
import io.forebay.service.Latency;
import io.forebay.service.PartitionView;
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
public final class ServiceWatch implements Sampled {

  /** How often latencies are sampled; their steps need no more. */
  private static final int LATENCY_SECONDS = 10;

  /** The share of failures is that of so many seconds at least. */
  private static final int LATELY = 5;

  private static final Duration QUARTER = Duration.ofMinutes(15);

  /** The samples show only after this time whether a database that responds again performs much. */
  private static final Duration RETURN = Duration.ofSeconds(3);

  /** In these phases the queue was compared with what was performed. */
  private static final Set<ServiceState.Phase> COMPARED =
      EnumSet.of(ServiceState.Phase.RUNNING, ServiceState.Phase.DRAINING);

  private static final String READ = "read";
  private static final String PERFORMING = "performing";
  private static final String PERFORMED = "performed";
  private static final String ANSWERED = "answered";

  private final ServiceOperations service;
  private final ServiceReadings readings;
  private final InstantSource clock;
  private final Duration limit;
  private final int slot;
  private final ServiceHistory history;
  private final Map<String, LatencyHistory> stations = new LinkedHashMap<>();
  private final RecentCounts recent = new RecentCounts(15, 60);
  private final StateSince stateSince = new StateSince();
  private volatile Instant since = Instant.EPOCH;
  private volatile ServiceView view;
  private volatile boolean compared;
  private volatile @Nullable Outage outage;
  private final RecentCounts lastMinute = new RecentCounts(1, 61);
  private volatile @Nullable Instant lastFailed;

  /**
   * @param limit the longest wait allowed
   */
  public ServiceWatch(
      ServiceOperations service, ServiceReadings readings, Duration limit, InstantSource clock) {
    this.service = service;
    this.readings = readings;
    this.limit = limit;
    this.clock = clock;
    this.slot = Math.floorMod(service.name().hashCode(), LATENCY_SECONDS);
    history = new ServiceHistory();
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

  private LatencyHistory station(String name) {
    return Objects.requireNonNull(stations.get(name));
  }

  @Override
  public String name() {
    return service.name();
  }

  private static boolean isAway(@Nullable Outage outage) {
    return outage != null && !outage.isOver();
  }

  /**
   * The outage of its database, until the first batch after it is committed; null if there is none,
   * or if it waits for something else: the brokers, room in its out-queue, one message, an instance
   * that owns its partitions, or a lock.
   */
  private @Nullable Outage outage(ServiceView seen, Instant now) {
    Outage before = outage;
    if (isDatabaseAway(seen)) { // the state's own time starts over with each reason
      return isAway(before) ? before : new Outage(seen.state().since(), null);
    }
    if (before == null || seen.waitsForLock()) { // a database with locks responds
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
        && !seen.waitsForLock()
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

  /** Whether its queue has been compared with what was performed since the start. */
  public boolean wasCompared() {
    return compared;
  }

  /** Since when it is in the state of the latest report. */
  public Instant since() {
    return since;
  }

  /** What it is and does. */
  public ServiceOperations operations() {
    return service;
  }

  public Duration limit() {
    return limit;
  }

  public ServiceHistory past() {
    return history;
  }

  /** The latencies by station, in the order in which a message passes them. */
  public Map<String, LatencyHistory> stations() {
    return stations;
  }

  /** The view of the latest sample. */
  public ServiceView view() {
    return view;
  }

  private RecentFailures failures(Instant now, @Nullable OpenFailures open) {
    Instant failed = lastFailed;
    return new RecentFailures(
        recent.counts(),
        lastMinute.counts(),
        lastMinute.sinceFailing(LATELY),
        failed == null ? null : Duration.between(failed, now),
        open == null ? null : open.of(name(), view.counts()).orElse(null),
        open == null ? null : open.most(name()).filter(this::isOfLastFailures).orElse(null));
  }

  /** Whether a group is not one of earlier failures, of which no alert tells any longer. */
  private boolean isOfLastFailures(Failures.Group group) {
    Instant failed = lastFailed;
    return failed != null && failed.minus(QUARTER).isBefore(group.last());
  }

  /** The report of the latest sample. One thread calls this after each sample. */
  ServiceReport report(
      Instant now,
      Optional<DesiredState> desired,
      @Nullable OpenFailures open,
      Figure<Until> full) {
    ServiceReport report =
        ServiceReport.of(
            new ServiceReport.Input(
                view,
                desired,
                limit,
                history,
                outage,
                failures(now, open),
                service::loss,
                service.keptFor(),
                full));
    since = stateSince.of(report, now);
    return report;
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
    view = seen;
    outage = outage(seen, now);
    compared |= COMPARED.contains(seen.state().phase());
    if (Math.floorMod(now.getEpochSecond(), LATENCY_SECONDS) == slot) {
      readings.takeLatencies();
    }
  }
}
