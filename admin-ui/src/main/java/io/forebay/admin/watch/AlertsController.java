/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.alerts.AlertRecord;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Figures;
import io.forebay.capacity.Alert.Severity;
import io.forebay.web.ForebayController;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The alerts of the last 24 hours. */
@ForebayController
@RequestMapping("/admin/api/v1/alerts")
final class AlertsController {

  private final AlertLog log;
  private final InstantSource clock;

  AlertsController(AlertLog log, InstantSource clock) {
    this.log = log;
    this.clock = clock;
  }

  record Alerts(List<Entry> alerts) {}

  /**
   * An open alert, or one that was open.
   *
   * @param severity the highest that it had
   * @param closed null while it is open
   * @param peak the worst value of its figure, in the unit of the kind; null for a state
   * @param figures those at its peak
   */
  record Entry(
      String id,
      AlertKind kind,
      Severity severity,
      @Nullable String service,
      @Nullable String volume,
      @Nullable String job,
      Instant opened,
      @Nullable Instant closed,
      Duration duration,
      @Nullable Double peak,
      @Nullable Figures figures) {

    static Entry of(AlertRecord it, Instant now) {
      Instant end = Objects.requireNonNullElse(it.closed(), now);
      return new Entry(
          it.id(),
          it.kind(),
          it.severity(),
          it.service(),
          it.volume(),
          it.job(),
          it.opened(),
          it.closed(),
          end.isAfter(it.opened()) ? Duration.between(it.opened(), end) : Duration.ZERO,
          it.peak(),
          it.figures());
    }
  }

  /** The latest first. */
  @GetMapping
  ResponseEntity<byte[]> alerts() {
    Instant now = clock.instant();
    return FigureModule.answer(
        new Alerts(
            log.since(now.minus(AlertLog.KEPT)).stream().map(it -> Entry.of(it, now)).toList()));
  }
}
