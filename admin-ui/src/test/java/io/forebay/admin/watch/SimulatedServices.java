/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.mockito.Mockito.mock;

import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.history.Restart;
import io.forebay.capacity.ServiceSample;
import io.forebay.operations.DesiredState;
import io.forebay.operations.DesiredStates;
import io.forebay.operations.Durability;
import io.forebay.operations.Instance;
import io.forebay.operations.LockHolder;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceView;
import io.forebay.operations.Services;
import io.forebay.queue.Level;
import io.forebay.queue.QueueStats;
import io.forebay.report.OpenFailures;
import io.forebay.report.ServiceReports;
import io.forebay.report.ServiceWatch;
import io.forebay.service.Latency;
import io.forebay.service.PartitionView;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Services with given rates, simulated second by second with a settable clock. */
final class SimulatedServices {

  static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
  private static final Duration LIMIT = Duration.ofMinutes(5);

  final List<Simulated> all = new ArrayList<>();
  final Frames frames = new Frames();
  final AlertLog alerts = new AlertLog();
  final Services services;
  final List<DesiredState> desired = new ArrayList<>();
  final List<Restart> restarts = new ArrayList<>();
  final OpenFailures failures = mock();
  final ServiceReports reports;
  final Watcher watcher;
  final List<ServiceWatch> watches;
  Instant now = START;

  SimulatedServices(String... names) {
    for (String name : names) {
      all.add(new Simulated(name));
    }
    services = new Services(all, new Desired());
    watches =
        services.all().stream()
            .map(it -> new ServiceWatch(it, services.readings(it.name()), LIMIT, () -> now))
            .toList();
    reports = new ServiceReports(services, watches, null, failures);
    Instance instance = new Instance("test", "memory", START);
    watcher =
        new Watcher(
            new Watcher.About(instance, List.of(), "test"),
            reports,
            null,
            alerts,
            new Neighbours(null, "test", Set::of),
            frames,
            null,
            null,
            new JobWatch(null, () -> Instant.EPOCH),
            () -> restarts);
  }

  /** Advances by that many seconds and samples each. */
  void sample(int seconds) {
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      all.forEach(Simulated::second);
      watches.forEach(it -> it.sample(now));
    }
  }

  private Snapshot snapshot() {
    reports.make(now);
    return watcher.snapshot(now, reports.latest());
  }

  /** Like {@link #sample}, with a snapshot of each second; returns the last. */
  Snapshot run(int seconds) {
    for (int i = 1; i < seconds; i++) {
      sample(1);
      snapshot();
    }
    sample(1);
    return snapshot();
  }

  private final class Desired implements DesiredStates {

    @Override
    public List<DesiredState> all() {
      return desired;
    }

    @Override
    public void keep(DesiredState state) {
      desired.add(state);
    }

    @Override
    public DesiredState pause(DesiredState state, @Nullable Instant replaces) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean end(DesiredState pause, DesiredState running) {
      throw new UnsupportedOperationException();
    }
  }

  final class Simulated implements ServiceOperations {

    private final String name;
    private final Latency latency = new Latency();
    private final ArrayList<Long> acceptedBySecond = new ArrayList<>();
    double accepts = 100;
    double performs = 1000;
    ServiceState.Phase phase = ServiceState.Phase.RUNNING;
    String reason = "";

    /** Whether its worker waits for the database. */
    boolean isAway;

    Instant since = START;
    @Nullable RuntimeException waitsFor;
    Level level = Level.DISK;
    boolean onDatabase = true;
    long failed;
    double lost;
    long dead;
    long declined;

    @Nullable Duration kept;
    boolean connected = true;
    QueueStats.@Nullable Hold held;
    @Nullable LockHolder lockHolder;
    QueueStats.@Nullable Refusal outRefusal;
    @Nullable List<PartitionView> partitions;
    private double accepted;
    private double performed;

    Simulated(String name) {
      this.name = name;
    }

    private void second() {
      accepted += accepts;
      acceptedBySecond.add((long) accepted);
      performed = Math.min(accepted, performed + performs);
    }

    /** The second in which the first unperformed message arrived. */
    private Optional<Instant> oldest() {
      if (performed >= accepted) {
        return Optional.empty();
      }
      int from = 0;
      int to = acceptedBySecond.size();
      while (from < to) {
        int middle = (from + to) / 2;
        if (acceptedBySecond.get(middle) > performed) {
          to = middle;
        } else {
          from = middle + 1;
        }
      }
      double before = from == 0 ? 0 : acceptedBySecond.get(from - 1);
      double within = (performed - before) / (acceptedBySecond.get(from) - before);
      return Optional.of(START.plusMillis(Math.round((from + within) * 1000)));
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Optional<Durability> durability() {
      return Optional.of(new Durability(level, false, false, false));
    }

    @Override
    public boolean usesDatabase() {
      return onDatabase;
    }

    @Override
    public Optional<Duration> keptFor() {
      return Optional.ofNullable(kept);
    }

    @Override
    public boolean keepsUnperformed() {
      return connected && kept == null;
    }

    @Override
    public ServiceView view() {
      QueueStats in = stats(null);
      PartitionView only =
          new PartitionView(
              0,
              null,
              OptionalLong.empty(),
              OptionalLong.empty(),
              null,
              null,
              null,
              in,
              stats(outRefusal),
              null);
      return new ServiceView(
          name,
          new ServiceState(phase, reason, since, waitsFor),
          partitions == null ? List.of(only) : partitions,
          new ServiceCounts((long) performed, failed, dead, declined, 0),
          lockHolder);
    }

    private QueueStats stats(QueueStats.@Nullable Refusal refusal) {
      return new QueueStats(
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          Map.of(),
          refusal,
          held,
          null);
    }

    private OptionalDouble busy() {
      boolean hasNoWorker = partitions != null && partitions.isEmpty();
      return hasNoWorker
          ? OptionalDouble.empty()
          : OptionalDouble.of(isAway ? 0 : Math.min(1, accepts / performs));
    }

    @Override
    public ServiceSample sample(Instant at, ServiceView view) {
      return new ServiceSample(
          at,
          OptionalLong.of((long) accepted),
          OptionalLong.of((long) performed),
          failed,
          lost,
          OptionalLong.of((long) accepted * 100),
          oldest(),
          1,
          0,
          busy(),
          phase == ServiceState.Phase.PAUSED);
    }

    @Override
    public void pause(String reason) {
      phase = ServiceState.Phase.PAUSED;
    }

    @Override
    public void hold(String reason) {}

    @Override
    public void release() {}

    @Override
    public void resume() {
      phase = ServiceState.Phase.RUNNING;
    }

    @Override
    public boolean drain(Duration timeout) {
      return true;
    }

    @Override
    public List<String> queues() {
      return List.of();
    }

    @Override
    public Latency latency() {
      return latency;
    }
  }
}
