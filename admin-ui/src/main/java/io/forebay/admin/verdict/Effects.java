/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Describes the effects of a command before it is given. */
public final class Effects {

  private static final String UNSURE =
      "How long it takes is unknown: the capacity of the database was not measured.";

  private Effects() {}

  /**
   * @param until when the pause ends; null for a pause without an end
   */
  public static List<String> ofPause(
      ServiceHistory past, Duration limit, @Nullable Instant until, Instant now) {
    List<String> lines = new ArrayList<>();
    Figure<Double> accepted = past.accepted();
    lines.add(
        accepted
            .known()
            .map(rate ->
                rate > 0
                    ? "The number of waiting messages grows by about %s per second."
                        .formatted(Formats.number(rate))
                    : "No messages arrive at the moment.")
            .orElse("The current rate of arriving messages is unknown."));
    past.lag(limit)
        .behind()
        .known()
        .map(limit::minus)
        .ifPresent(left ->
            lines.add(
                left.isPositive()
                    ? "The oldest message passes the %s limit in %s at the earliest."
                        .formatted(Formats.duration(limit), Formats.duration(left))
                    : "The oldest message has already passed the %s limit."
                        .formatted(Formats.duration(limit))));
    past.written()
        .known()
        .filter(bytes -> bytes > 0)
        .ifPresent(bytes ->
            lines.add(
                "The queue keeps %s per second that it could otherwise delete."
                    .formatted(Formats.bytes(bytes))));
    lines.add(
        "Messages are still accepted; they are performed in order after the service is resumed.");
    if (until != null) {
      Optional<Duration> left = past.lag(limit).behind().known().map(limit::minus);
      boolean late = left.isPresent() && now.plus(left.get()).isBefore(until);
      boolean passes = late && left.get().isPositive();
      lines.add(
          "The service resumes automatically at %s UTC, in %s%s."
              .formatted(
                  Sentences.clock(until, now),
                  Formats.duration(Duration.between(now, until)),
                  passes ? "; messages may be late before that" : ""));
    }
    return lines;
  }

  /**
   * @param pause what the resume ends, if an operator has paused it
   */
  public static List<String> ofResume(
      Optional<DesiredState> pause, ServiceHistory past, Duration limit, Instant now) {
    List<String> lines = new ArrayList<>();
    pause.ifPresent(it -> lines.addAll(PauseSentences.begun(it, now)));
    Lag lag = past.lag(limit);
    long waiting = lag.unperformed().known().orElse(0L);
    lines.add(
        "%s."
            .formatted(
                waiting == 1
                    ? "1 message will be performed"
                    : waiting == 0
                        ? "No messages wait"
                        : Formats.number(waiting) + " messages will be performed in order"));
    if (waiting > 0) {
      lines.add(
          past.databaseRate()
              .perSecond()
              .known()
              .map(can -> clears(waiting, can, past.accepted().known().orElse(0.0)))
              .orElse(UNSURE));
    }
    return lines;
  }

  private static String clears(long waiting, double can, double accepted) {
    Until clear = Until.ofSeconds(waiting / Math.max(0, can - accepted), "");
    return clear
        .left()
        .map(left ->
            "The database performs about %s per second and catches up in about %s."
                .formatted(Formats.number(can), Formats.duration(left)))
        .orElse("More messages arrive than the database can perform; the backlog will grow.");
  }
}
