/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static io.forebay.admin.watch.FigureModule.answer;

import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.alerts.AlertRecord;
import io.forebay.admin.history.Restart;
import io.forebay.admin.history.Runs;
import io.forebay.admin.history.Series;
import io.forebay.admin.verdict.Host;
import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.series.Measure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What the histories have of a moment in the past: figures of services and disks, and alerts. */
@RestController
@RequestMapping("/admin/api/v1/past")
final class PastController {

  private final Watcher watcher;
  private final @Nullable Host host;
  private final AlertLog alerts;
  private final Runs runs;
  private final InstantSource clock;

  /**
   * @param host null if nothing watches the disks
   */
  PastController(
      Watcher watcher, @Nullable Host host, AlertLog alerts, Runs runs, InstantSource clock) {
    this.watcher = watcher;
    this.host = host;
    this.alerts = alerts;
    this.runs = runs;
    this.clock = clock;
  }

  /**
   * A moment in the past.
   *
   * @param stopped if this instance did not run then: when it stopped and was started again
   * @param services those that run here now, the most urgent of that moment first
   * @param alerts those that were open
   */
  record Past(
      Instant at,
      @Nullable Restart stopped,
      List<Service> services,
      List<Host.Used> volumes,
      List<AlertsController.Entry> alerts) {}

  /**
   * @param severity the highest of the alerts that were open
   * @param unperformed how many messages waited
   * @param p99 of the 10 minutes before, or of the hour if minutes are not kept any more
   */
  record Service(
      String name,
      Severity severity,
      Figure<Duration> behind,
      Figure<Double> unperformed,
      Figure<Double> accepted,
      Figure<Double> performed,
      Figure<Double> busy,
      Figure<Duration> p99) {}

  /**
   * @param at a time, or how long ago, such as -2h
   */
  @GetMapping
  ResponseEntity<byte[]> past(@RequestParam String at) {
    Instant now = clock.instant();
    Instant moment = Series.past(at, now);
    List<AlertRecord> open =
        alerts.since(moment).stream().filter(it -> !it.opened().isAfter(moment)).toList();
    return answer(
        new Past(
            moment,
            runs.restarts(moment, moment).stream().findFirst().orElse(null),
            watcher.watches().stream()
                .map(it -> service(it, moment, open))
                .sorted(
                    Comparator.comparing(Service::severity)
                        .thenComparing(it -> it.behind().known().orElse(Duration.ZERO))
                        .reversed()
                        .thenComparing(Service::name))
                .toList(),
            host == null ? List.of() : host.used(moment),
            open.stream().map(it -> AlertsController.entry(it, now)).toList()));
  }

  private static Service service(ServiceWatch watch, Instant at, List<AlertRecord> open) {
    return new Service(
        watch.name(),
        open.stream()
            .filter(it -> watch.name().equals(it.service()))
            .map(AlertRecord::severity)
            .max(Comparator.naturalOrder())
            .orElse(Severity.FINE),
        figure(watch, Measure.BEHIND, at).map(it -> Duration.ofNanos(Math.round(it * 1e9))),
        figure(watch, Measure.UNPERFORMED, at),
        figure(watch, Measure.ACCEPTED, at),
        figure(watch, Measure.PERFORMED, at),
        figure(watch, Measure.BUSY, at),
        watch.p99(at));
  }

  private static Figure<Double> figure(ServiceWatch watch, Measure measure, Instant at) {
    return Series.at(watch.past()::read, measure, at);
  }
}
