/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.report.ServiceReport;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The sentences about pauses, and who began them, that operators read. */
final class PauseSentences {

  private PauseSentences() {}

  static String paused(ServiceReport report, Instant now) {
    Optional<DesiredState> pause = report.desired().filter(DesiredState::paused);
    Optional<Instant> until = pause.map(DesiredState::until);
    if (until.isPresent()) {
      return pausedUntil(report, pause.get(), until.get(), now);
    }
    return "%s %s.%s %s %s"
        .formatted(
            report.name(),
            pause.map(it -> pausedBy(it, now)).orElse("is paused"),
            report.view().accepts() ? " Messages are still accepted." : "",
            Sentences.left(report.lag().late())
                .map(left ->
                    "The oldest message passes the %s limit in %s."
                        .formatted(Formats.duration(report.limit()), left))
                .orElseGet(() ->
                    "The oldest message has waited %s (limit %s)."
                        .formatted(
                            report
                                .lag()
                                .behind()
                                .known()
                                .map(Formats::duration)
                                .orElse("an unknown time"),
                            Formats.duration(report.limit()))),
            pause
                .map(it ->
                    "Ask %s whether it can be resumed, or inform those who wait for results."
                        .formatted(it.by()))
                .orElse("Resume the service, or inform those who wait for results."));
  }

  /**
   * Who paused it and for how long it is paused, and if that pause was replaced, by whom and when.
   */
  private static String pausedBy(DesiredState pause, Instant now) {
    DesiredState.Begin begun = pause.begun();
    return "has been paused by %s for %s%s, until somebody resumes it%s"
        .formatted(
            begun.by(),
            Formats.duration(Duration.between(begun.at(), now)),
            pause.first() == null
                ? ""
                : "%s; %s replaced the pause %s ago"
                    .formatted(
                        colon(begun.reason()),
                        pause.by(),
                        Formats.duration(Duration.between(pause.at(), now))),
            colon(pause.reason()));
  }

  private static String colon(String reason) {
    return reason.isEmpty() ? "" : ": " + reason;
  }

  private static String pausedUntil(
      ServiceReport report, DesiredState pause, Instant until, Instant now) {
    Optional<Until> late = report.lag().late().known();
    String oldest =
        late.filter(it -> it instanceof Until.Passed).isPresent()
            ? "; its oldest message is past the %s limit"
                .formatted(Formats.duration(report.limit()))
            : late.flatMap(Until::left)
                .map(left ->
                    "; its oldest message will be late at %s"
                        .formatted(Sentences.clock(now.plus(left), now)))
                .orElse("");
    DesiredState.Begin first = pause.first();
    return "%s is paused until %s UTC by %s%s%s%s."
        .formatted(
            report.name(),
            Sentences.clock(until, now),
            pause.by(),
            colon(pause.reason()),
            first == null
                ? ""
                : "; that replaced the pause by %s%s".formatted(first.by(), colon(first.reason())),
            oldest);
  }

  /** Who began a pause, before it is ended, and which one it replaced. */
  static List<String> begun(DesiredState pause, Instant now) {
    String last = begun(new DesiredState.Begin(pause.at(), pause.by(), pause.reason()), now);
    return pause.first() == null
        ? List.of(last)
        : List.of(last, "It replaced another pause. " + begun(pause.first(), now));
  }

  private static String begun(DesiredState.Begin pause, Instant now) {
    return "Paused %s ago by %s%s."
        .formatted(
            Formats.duration(Duration.between(pause.at(), now)),
            pause.by(),
            pause.reason().isEmpty() ? "" : ": “%s”".formatted(pause.reason()));
  }
}
