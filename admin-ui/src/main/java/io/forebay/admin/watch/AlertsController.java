/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Refused;
import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.alerts.AlertRecord;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Silences;
import io.forebay.capacity.Alert.Severity;
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
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Open alerts, their rules and history, silences and acknowledgements. */
@RestController
@RequestMapping("/admin/api/v1/alerts")
final class AlertsController {

  private static final int MOST_MINUTES = 7 * 24 * 60;
  private static final long MOST_HOURS = AlertLog.KEPT.toHours();

  private final Watcher watcher;
  private final Silences silences;
  private final AlertLog log;
  private final Audit audit;
  private final InstantSource clock;

  AlertsController(
      Watcher watcher, Silences silences, AlertLog log, Audit audit, InstantSource clock) {
    this.watcher = watcher;
    this.silences = silences;
    this.log = log;
    this.audit = audit;
    this.clock = clock;
  }

  record Alerts(List<Problem> open, List<Rule> rules) {}

  /**
   * @param unit s, or none for a share or a count
   * @param bad null if its severity is at most WATCH
   * @param marks when it opens and closes, as a text; null for a state
   * @param sooner when it does so without waiting, as a text; null if never
   */
  record Rule(
      AlertKind name,
      String figure,
      String unit,
      @Nullable Double watch,
      @Nullable Double bad,
      @Nullable Duration enterAfter,
      @Nullable Duration leaveAfter,
      @Nullable String marks,
      @Nullable String sooner,
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
        ? new Rule(
            kind,
            kind.figure(),
            kind.unit(),
            null,
            null,
            null,
            null,
            null,
            kind.sooner(),
            kind.prometheus())
        : new Rule(
            kind,
            kind.figure(),
            kind.unit(),
            rule.watch().value(),
            rule.bad().value() == Double.MAX_VALUE ? null : rule.bad().value(),
            rule.watch().enterAfter(),
            rule.leaveAfter(),
            kind.marks(),
            kind.sooner(),
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
    Problem problem = open(id, now);
    String reason = Command.required(wish == null ? null : wish.reason());
    int minutes = wish == null ? 0 : Objects.requireNonNullElse(wish.minutes(), 0);
    if (minutes < 1 || minutes > MOST_MINUTES) {
      throw Refused.invalidField(
          "/minutes", "must be a whole number from 1 to %d".formatted(MOST_MINUTES));
    }
    Problem.Silence silence =
        new Problem.Silence(actor.name(), now.plus(Duration.ofMinutes(minutes)), reason);
    audit.record(
        Audit.Entry.allowed(actor, "alert.silence", id, reason)
            .changing(
                Audit.Change.between(
                    Problem.Silence.fields(problem.silenced()), Problem.Silence.fields(silence))));
    silences.add(id, silence);
  }

  private Problem open(String id, Instant now) {
    return watcher.problems(now).stream()
        .filter(it -> it.id().equals(id))
        .findFirst()
        .orElseThrow(() -> Refused.notFound("No such alert is open."));
  }

  /**
   * Acknowledges an open alert until it gets worse or closes. It is in the audit before it takes
   * effect.
   */
  @PostMapping("/{id}/acknowledge")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void acknowledge(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    Instant now = clock.instant();
    Problem problem = open(id, now);
    String note = Command.required(command);
    Problem.Acknowledgement given = new Problem.Acknowledgement(actor.name(), now, note);
    audit.perform(
        Audit.Entry.allowed(actor, "alert.acknowledge", id, note)
            .changing(
                Audit.Change.between(
                    Problem.Acknowledgement.fields(problem.acknowledged()),
                    Problem.Acknowledgement.fields(given))),
        () -> {
          if (!log.acknowledge(id, given)) {
            throw Refused.notFound("The alert has closed.");
          }
          return true;
        });
  }

  record History(List<Entry> alerts) {}

  /**
   * An alert of the past, or an open one.
   *
   * @param severity the highest that it had
   * @param text what it said at its peak
   * @param closed null while it is open
   * @param peak the worst value of its figure, as a text; null for a state
   * @param acknowledged null if nobody acknowledged it at this severity
   * @param reported whether the webhook accepted it
   */
  record Entry(
      String id,
      AlertKind kind,
      Severity severity,
      @Nullable String service,
      @Nullable String volume,
      @Nullable String job,
      String text,
      Instant opened,
      @Nullable Instant closed,
      Duration duration,
      @Nullable String peak,
      Problem.@Nullable Acknowledgement acknowledged,
      boolean reported) {}

  /** The alerts that were open within this time, the latest first. */
  @GetMapping("/history")
  ResponseEntity<byte[]> history(@RequestParam(defaultValue = "24") long hours) {
    if (hours < 1 || hours > MOST_HOURS) {
      throw Refused.invalidField(
          "hours", "must be a whole number from 1 to %d".formatted(MOST_HOURS));
    }
    Instant now = clock.instant();
    return FigureModule.answer(
        new History(
            log.since(now.minus(Duration.ofHours(hours))).stream()
                .map(it -> entry(it, now))
                .toList()));
  }

  static Entry entry(AlertRecord it, Instant now) {
    Instant end = Objects.requireNonNullElse(it.closed(), now);
    return new Entry(
        it.id(),
        it.kind(),
        it.severity(),
        it.service(),
        it.volume(),
        it.job(),
        it.text(),
        it.opened(),
        it.closed(),
        end.isAfter(it.opened()) ? Duration.between(it.opened(), end) : Duration.ZERO,
        it.peak() == null ? null : it.kind().text(it.peak()),
        it.acknowledged(),
        it.reported().severity() != null);
  }
}
