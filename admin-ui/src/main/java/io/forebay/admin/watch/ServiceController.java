/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static io.forebay.admin.watch.FigureModule.answer;

import io.forebay.admin.history.Series;
import io.forebay.capacity.LatencyHistory;
import io.forebay.capacity.Percentiles;
import io.forebay.capacity.series.Measure;
import io.forebay.report.BurstPlan;
import io.forebay.report.ServiceReports;
import io.forebay.report.ServiceWatch;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** One service: its history, and what a burst does to it. */
@ForebayController
@RequestMapping("/admin/api/v1/services/{name}")
final class ServiceController {

  private static final List<Measure> MEASURES =
      List.of(
          Measure.BEHIND, Measure.UNPERFORMED, Measure.ACCEPTED, Measure.PERFORMED, Measure.BUSY);

  /** Names of percentiles, by parts per million. */
  private static final Map<Integer, String> PERCENTILES =
      Map.of(500_000, "p50", 900_000, "p90", 990_000, "p99", 999_000, "p999", 999_900, "p9999");

  private static final int LATENCY_STEPS = 120;
  private static final Duration LONGEST_BURST = Duration.ofDays(10);

  private final ServiceReports reports;
  private final InstantSource clock;

  ServiceController(ServiceReports reports, InstantSource clock) {
    this.reports = reports;
    this.clock = clock;
  }

  @GetMapping("/series")
  ResponseEntity<byte[]> series(
      @PathVariable String name,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(defaultValue = "600") int points) {
    return answer(
        Series.of(from, points, clock.instant()).read(MEASURES, watch(name).past()::read));
  }

  record Latencies(Map<String, Station> stations) {}

  record Station(List<Map<String, Object>> steps, Map<String, Object> whole) {}

  @GetMapping("/latency")
  ResponseEntity<byte[]> latency(
      @PathVariable String name, @RequestParam(required = false) @Nullable String from) {
    ServiceWatch watch = watch(name);
    Series asked = Series.of(from, LATENCY_STEPS, clock.instant());
    Map<String, Station> stations = new LinkedHashMap<>();
    watch.stations().forEach((station, past) -> stations.put(station, station(past, asked)));
    return answer(new Latencies(stations));
  }

  private static Station station(LatencyHistory past, Series asked) {
    List<LatencyHistory.Step> kept = past.steps(asked.from(), asked.to(), asked.step());
    Instant begin = kept.getFirst().from(); // the first step may have begun before
    Percentiles whole = past.percentiles(begin, asked.to());
    return new Station(
        kept.stream().map(it -> percentiles("at", it.from(), it.percentiles())).toList(),
        percentiles("n", whole.count(), whole));
  }

  private static Map<String, Object> percentiles(String name, Object of, Percentiles percentiles) {
    Map<String, Object> all = new LinkedHashMap<>(Map.of(name, of));
    percentiles
        .values()
        .forEach((perMillion, value) ->
            all.put(PERCENTILES.getOrDefault(perMillion, "p" + perMillion), value));
    return all;
  }

  @GetMapping("/burst")
  ResponseEntity<byte[]> burst(
      @PathVariable String name,
      @RequestParam(required = false) @Nullable Double rate,
      @RequestParam(required = false) @Nullable Long seconds) {
    ServiceWatch watch = watch(name);
    if (rate != null && !(rate > 0 && rate <= 1e9)) {
      throw Problem.invalid("rate must be messages per second, more than 0 and at most 1e9.");
    }
    if (seconds != null && !(seconds > 0 && seconds <= LONGEST_BURST.toSeconds())) {
      throw Problem.invalid("seconds must be how long the burst lasts, from 1 to 864000.");
    }
    return answer(BurstPlan.of(watch, rate, seconds == null ? null : Duration.ofSeconds(seconds)));
  }

  private ServiceWatch watch(String name) {
    return reports.watch(name).orElseThrow(() -> Problem.notFound("There is no such service."));
  }
}
