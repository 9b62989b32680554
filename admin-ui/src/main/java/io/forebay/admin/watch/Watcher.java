/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.history.Restart;
import io.forebay.admin.history.UncleanStop;
import io.forebay.admin.page.Demo;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Judge;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Verdict;
import io.forebay.operations.Door;
import io.forebay.operations.Instance;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import io.forebay.report.ServiceReports;
import io.forebay.report.ServiceWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.databind.json.JsonMapper;

/** Makes a snapshot every second, even if no page is open. For one thread. */
final class Watcher {

  private final About about;
  private final ServiceReports reports;
  private final List<Pipeline> pipelines;
  private final @Nullable Host host;
  private final AlertLog alerts;
  private final Neighbours neighbours;
  private final Frames frames;
  private final @Nullable Door door;
  private final @Nullable Demo demo;
  private final JobWatch jobs;
  private final Supplier<List<Restart>> restarts;
  private final Judge judge = new Judge();
  private final JsonMapper json = FigureModule.mapper();
  private long seq;

  /**
   * The process.
   *
   * @param profiles the active profiles
   */
  record About(Instance instance, List<String> profiles, String version) {}

  /**
   * @param restarts the restarts of this instance that are known
   */
  Watcher(
      About about,
      ServiceReports reports,
      @Nullable Host host,
      AlertLog alerts,
      Neighbours neighbours,
      Frames frames,
      @Nullable Door door,
      @Nullable Demo demo,
      JobWatch jobs,
      Supplier<List<Restart>> restarts) {
    this.about = about;
    this.reports = reports;
    this.pipelines = Pipeline.of(reports.watches().stream().map(ServiceWatch::operations).toList());
    this.host = host;
    this.alerts = alerts;
    this.neighbours = neighbours;
    this.frames = frames;
    this.door = door;
    this.demo = demo;
    this.jobs = jobs;
    this.restarts = restarts;
  }

  /** Makes and publishes a snapshot. */
  void second(Instant now, List<ServiceReport> seen) {
    Snapshot snapshot = snapshot(now, seen);
    frames.publish(
        new Frames.Frame(
            snapshot.seq(), SingletonSupplier.of(() -> json.writeValueAsBytes(snapshot))));
    neighbours.tell(snapshot.instances().getFirst());
  }

  Snapshot snapshot(Instant now, List<ServiceReport> seen) {
    List<InstanceSummary> others = neighbours.others(now);
    List<Problem> found =
        judge.judge(
            now, seen, host, others.stream().map(it -> other(it, now)).toList(), jobs.problems());
    alerts.observe(found, now);
    List<Problem> shown = alerts.apply(found).stream().sorted(Problem.URGENT).toList();
    List<Snapshot.Service> documents =
        seen.stream().map(it -> document(it, found)).sorted(worstFirst(shown)).toList();
    Instance instance = about.instance();
    seq++;
    List<InstanceSummary> instances = new ArrayList<>();
    instances.add(InstanceSummary.of(instance, now, documents));
    instances.addAll(others);
    return new Snapshot(
        seq,
        now,
        instance.name(),
        instance.backend(),
        about.profiles(),
        about.version(),
        instance.since(),
        uncleanStop(now),
        DatabaseAway.of(seen, neighbours.databaseAway(now)),
        Verdict.of(seen, shown),
        recordedSince(),
        new Snapshot.Tiles(host == null ? null : host.volume().orElse(null), jobs.tile()),
        Flow.of(reports.watches().stream().map(ServiceWatch::past).toList(), now),
        documents,
        pipelines,
        instances,
        door == null ? null : door.activity(),
        demo == null ? null : new Snapshot.DemoState(demo.isBursting()));
  }

  private Snapshot.Service document(ServiceReport report, List<Problem> found) {
    ServiceWatch watch = reports.watch(report.name()).orElseThrow();
    return new Snapshot.Service(
        report, Judge.severity(report, found), watch.since(), report.failures().open());
  }

  private @Nullable UncleanStop uncleanStop(Instant now) {
    List<UncleanStop.Of> services =
        reports.watches().stream()
            .map(it ->
                new UncleanStop.Of(
                    it.name(),
                    it.operations().durability().orElse(null),
                    it.view().state().phase(),
                    it.wasCompared()))
            .toList();
    return UncleanStop.of(restarts.get(), services, now).orElse(null);
  }

  private static Figures.OtherInstance other(InstanceSummary it, Instant now) {
    return new Figures.OtherInstance(it.name(), Duration.between(it.seenAt(), now));
  }

  /**
   * By severity, then in the order of their problems; without problems, the order of the reports
   * stays.
   *
   * @param problems the most urgent first
   */
  private static Comparator<Snapshot.Service> worstFirst(List<Problem> problems) {
    Map<String, Integer> ranks = new HashMap<>();
    for (int i = 0; i < problems.size(); i++) {
      String service = problems.get(i).service();
      if (service != null) {
        ranks.putIfAbsent(service, i);
      }
    }
    return Comparator.comparing(Snapshot.Service::severity)
        .reversed()
        .thenComparing(it -> ranks.getOrDefault(it.report().name(), Integer.MAX_VALUE));
  }

  private @Nullable Instant recordedSince() {
    return reports.watches().stream()
        .flatMap(it -> it.past().since().stream())
        .min(Comparator.naturalOrder())
        .orElse(null);
  }
}
