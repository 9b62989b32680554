/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Refused;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Silences;
import io.forebay.capacity.AlertRule;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Open alerts, their rules, and silences. */
@RestController
@RequestMapping("/admin/api/v1/alerts")
final class AlertsController {

  private static final int MOST_MINUTES = 7 * 24 * 60;

  private final Watcher watcher;
  private final Silences silences;
  private final Audit audit;
  private final InstantSource clock;

  AlertsController(Watcher watcher, Silences silences, Audit audit, InstantSource clock) {
    this.watcher = watcher;
    this.silences = silences;
    this.audit = audit;
    this.clock = clock;
  }

  record Alerts(List<Problem> open, List<Rule> rules) {}

  /**
   * @param unit s, or none for a share or a count
   * @param bad null if its severity is at most WATCH
   */
  record Rule(
      AlertKind name,
      String figure,
      String unit,
      @Nullable Double watch,
      @Nullable Double bad,
      @Nullable Duration enterAfter,
      @Nullable Duration leaveAfter,
      @Nullable String prometheus) {}

  @GetMapping
  ResponseEntity<byte[]> alerts() {
    return FigureModule.answer(
        new Alerts(
            watcher.problems(clock.instant()),
            Arrays.stream(AlertKind.values()).map(AlertsController::rule).toList()));
  }

  private static Rule rule(AlertKind kind) {
    AlertRule rule = kind.rule();
    return rule == null
        ? new Rule(kind, kind.figure(), kind.unit(), null, null, null, null, kind.prometheus())
        : new Rule(
            kind,
            kind.figure(),
            kind.unit(),
            rule.watch().value(),
            rule.bad().value() == Double.MAX_VALUE ? null : rule.bad().value(),
            rule.watch().enterAfter(),
            rule.leaveAfter(),
            kind.prometheus());
  }

  /**
   * @param minutes from now
   */
  record Wish(@Nullable JsonNode reason, @Nullable Integer minutes) {}

  /** Silences an open alert. The silence is in the audit before it takes effect. */
  @PostMapping("/{id}/silence")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void silence(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Wish wish,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    Instant now = clock.instant();
    if (watcher.problems(now).stream().noneMatch(it -> it.id().equals(id))) {
      throw Refused.notFound("No such alert is open.");
    }
    String reason = Command.required(wish == null ? null : wish.reason());
    int minutes = wish == null ? 0 : Objects.requireNonNullElse(wish.minutes(), 0);
    if (minutes < 1 || minutes > MOST_MINUTES) {
      throw Refused.invalidField(
          "/minutes", "must be a whole number from 1 to %d".formatted(MOST_MINUTES));
    }
    audit.record(Audit.Entry.allowed(actor, "alert.silence", id, reason));
    silences.add(
        id, new Problem.Silence(actor.name(), now.plus(Duration.ofMinutes(minutes)), reason));
  }
}
