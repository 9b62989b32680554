/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.report.ReportReader;
import io.forebay.report.Sampled;
import io.forebay.report.ServiceReports;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that samples all sources at each second of the wall clock, makes the reports, and passes
 * them to their readers. Seconds that it misses are gaps.
 */
final class SamplingLoop {

  private static final Logger log = LoggerFactory.getLogger(SamplingLoop.class);
  private static final long SECOND_MILLIS = 1_000;

  private final List<Sampled> sources;
  private final ServiceReports reports;
  private final List<ReportReader> readers;
  private final InstantSource clock = InstantSource.system();
  private final Map<String, Outage> outages = new HashMap<>();
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-sampling", this::untilTheNextSecond, outage("all sources"), this::second);

  SamplingLoop(List<Sampled> sources, ServiceReports reports, List<ReportReader> readers) {
    this.sources = sources;
    this.reports = reports;
    this.readers = readers;
  }

  BackgroundTask task() {
    return task;
  }

  /**
   * One millisecond longer, so that a clock that is slewed does not reach the same second twice.
   */
  private Duration untilTheNextSecond() {
    return Duration.ofMillis(SECOND_MILLIS - clock.millis() % SECOND_MILLIS + 1);
  }

  private static Outage outage(String source) {
    return new Outage(log, "Sampling of " + source, "it is retried every second");
  }

  private void second() {
    Instant now = clock.instant();
    for (Sampled one : sources) {
      guarded(one.name(), () -> one.sample(now));
    }
    guarded("the reports of services", () -> reports.make(now));
    for (ReportReader reader : readers) {
      guarded("the readers of reports", () -> reader.read(now, reports.latest()));
    }
  }

  /** A failure leaves a gap; the other sources are still sampled. */
  private void guarded(String source, Runnable action) {
    Outage outage = outages.computeIfAbsent(source, SamplingLoop::outage);
    try {
      action.run();
      outage.over();
    } catch (RuntimeException | Error e) {
      outage.failed(e);
    }
  }
}
