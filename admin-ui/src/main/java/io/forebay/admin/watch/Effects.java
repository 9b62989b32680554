/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a command would do, in words, before it is given. */
final class Effects {

  private Effects() {}

  static List<String> ofPause(ServiceHistory past, Duration limit) {
    List<String> lines = new ArrayList<>();
    Figure<Double> accepted = past.accepted();
    lines.add(
        accepted
            .known()
            .map(rate ->
                rate > 0
                    ? "Waits grow by %s messages a second.".formatted(Words.number(rate))
                    : "Nothing comes in now, so nothing more waits until it does.")
            .orElse("How much comes in now is not known."));
    past.lag(limit)
        .behind()
        .known()
        .map(limit::minus)
        .ifPresent(left ->
            lines.add(
                left.isPositive()
                    ? "The %s limit is passed in %s at the earliest."
                        .formatted(Words.duration(limit), Words.duration(left))
                    : "The %s limit is passed already.".formatted(Words.duration(limit))));
    past.written()
        .known()
        .filter(bytes -> bytes > 0)
        .ifPresent(bytes ->
            lines.add(
                "The queue keeps %s a second that it could delete otherwise."
                    .formatted(Words.bytes(bytes))));
    lines.add("Messages are still accepted, and performed in order when it is resumed.");
    return lines;
  }

  static List<String> ofResume(ServiceHistory past, Duration limit) {
    List<String> lines = new ArrayList<>();
    Lag lag = past.lag(limit);
    long waiting = lag.unperformed().known().orElse(0L);
    lines.add(
        "%s to be performed, in order."
            .formatted(
                waiting == 1
                    ? "1 message is"
                    : waiting == 0 ? "Nothing waits" : Words.number(waiting) + " messages are"));
    if (waiting > 0) {
      lines.add(
          past.databaseRate()
              .perSecond()
              .known()
              .map(can -> clears(waiting, can, past.accepted().known().orElse(0.0)))
              .orElse("How long that takes is not known: there was no backlog yet to measure."));
    }
    return lines;
  }

  private static String clears(long waiting, double can, double accepted) {
    Until clear = Until.ofSeconds(waiting / Math.max(0, can - accepted), "");
    return clear
        .left()
        .map(left ->
            "The database gets about %s a second and is through in about %s."
                .formatted(Words.number(can), Words.duration(left)))
        .orElse("The database does less than comes in; what waits goes on to grow.");
  }
}
