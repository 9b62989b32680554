/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.alerts.AlertRecord;
import io.forebay.web.ForebayController;
import java.time.InstantSource;
import java.util.List;
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

  record Alerts(List<AlertRecord> alerts) {}

  /** The latest first. */
  @GetMapping
  ResponseEntity<byte[]> alerts() {
    return FigureModule.answer(new Alerts(log.since(clock.instant().minus(AlertLog.KEPT))));
  }
}
