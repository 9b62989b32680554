/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Problem.Acknowledgement;
import io.forebay.capacity.Alert.Severity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An alert from its opening to its closing, as it is stored.
 *
 * @param id see {@link Problem}
 * @param severity the highest severity that it had
 * @param text what the alert said at its peak, and said last if the figure stayed there
 * @param opened when the state or the figure began to be one that raises the alert
 * @param closed null while it is open
 * @param peak the worst value of its figure, in the unit of the kind; null for a state
 * @param acknowledged null if nobody has acknowledged it at its present severity
 * @param changed when this process saw it open, get worse or close, or an acknowledgement was
 *     withdrawn
 * @param reported what was reported to the webhook
 */
public record AlertRecord(
    String id,
    AlertKind kind,
    @Nullable String service,
    @Nullable String volume,
    @Nullable String job,
    Severity severity,
    String text,
    Instant opened,
    @Nullable Instant closed,
    @Nullable Double peak,
    @Nullable Acknowledgement acknowledged,
    Instant changed,
    Reported reported) {

  /**
   * @param severity the severity that was reported; null if none was
   * @param closed whether the closing was reported
   * @param missed whether a report was given up
   */
  public record Reported(@Nullable Severity severity, boolean closed, boolean missed) {

    static final Reported NOTHING = new Reported(null, false, false);

    boolean covers(Severity other) {
      return severity != null && severity.compareTo(other) >= 0;
    }
  }

  static AlertRecord opened(Problem problem, Instant now) {
    return new AlertRecord(
        problem.id(),
        problem.kind(),
        problem.service(),
        problem.volume(),
        problem.job(),
        problem.severity(),
        problem.text(),
        problem.since().isBefore(now) ? problem.since() : now,
        null,
        problem.figure(),
        null,
        now,
        Reported.NOTHING);
  }

  /** As it is open now. An acknowledgement ends when it gets worse. */
  AlertRecord seen(Problem problem, Instant now) {
    boolean worse = problem.severity().compareTo(severity) > 0;
    boolean peaks = problem.kind().isWorse(problem.figure(), peak);
    boolean stays = peak != null && peak.equals(problem.figure()) && !problem.text().equals(text);
    if (!worse && !peaks && !stays) {
      return this;
    }
    return new AlertRecord(
        id,
        kind,
        service,
        volume,
        job,
        worse ? problem.severity() : severity,
        problem.text(),
        opened,
        null,
        peaks ? problem.figure() : peak,
        worse ? null : acknowledged,
        worse ? now : changed,
        reported);
  }

  AlertRecord closed(Instant at, Instant now) {
    return with(at, acknowledged, now, reported);
  }

  AlertRecord acknowledged(Acknowledgement by) {
    return acknowledged(by, changed);
  }

  /**
   * @param by null if it was withdrawn
   * @param since earlier acknowledgements do not count from now on
   */
  AlertRecord acknowledged(@Nullable Acknowledgement by, Instant since) {
    return with(closed, by, since, reported);
  }

  AlertRecord reported(Reported what) {
    return with(closed, acknowledged, changed, what);
  }

  private AlertRecord with(
      @Nullable Instant ended, @Nullable Acknowledgement by, Instant since, Reported what) {
    return new AlertRecord(
        id, kind, service, volume, job, severity, text, opened, ended, peak, by, since, what);
  }

  /** What other instances have to know of it. */
  Peers.Shared shared() {
    return new Peers.Shared(
        id,
        opened,
        closed,
        reported.severity(),
        reported.closed(),
        acknowledged == null ? null : acknowledged.brief());
  }

  /**
   * Whether another instance means this alert: it has the same id and was open at the same time.
   */
  boolean isSameAs(Peers.Shared other) {
    Instant end = other.closed();
    return id.equals(other.id())
        && (closed == null || closed.isAfter(other.opened()))
        && (end == null || end.isAfter(opened));
  }

  /** Takes over what another instance has reported, and a later acknowledgement from there. */
  AlertRecord heard(Peers.Shared other) {
    Reported all = reported;
    Severity severity = other.reported();
    if (severity != null && !all.covers(severity)) {
      all = new Reported(severity, all.closed(), all.missed());
    }
    if (closed != null && other.closedReported() && !all.closed()) {
      all = new Reported(all.severity(), true, all.missed());
    }
    AlertRecord heard = all.equals(reported) ? this : reported(all);
    Acknowledgement by = other.acknowledged();
    boolean isLater =
        by != null
            && !by.at().isBefore(changed)
            && (acknowledged == null || by.at().isAfter(acknowledged.at()));
    return closed == null && by != null && isLater ? heard.acknowledged(by) : heard;
  }

  boolean isSameAs(AlertRecord other) {
    return id.equals(other.id) && opened.equals(other.opened);
  }
}
