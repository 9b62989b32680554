/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.report.Host;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.Collection;

/** The sentences about disks, and what waits for them, that operators read. */
final class DiskSentences {

  private DiskSentences() {}

  static String disk(Host.VolumeView view, Runway runway) {
    String when =
        runway.middle() instanceof Until.Never
            ? "may be full in %s at the earliest".formatted(edge(runway.low()))
            : "will be full in about %s%s"
                .formatted(
                    edge(runway.middle()),
                    runway.low().equals(runway.middle())
                        ? ""
                        : " (%s at the earliest)".formatted(edge(runway.low())));
    boolean isInTime =
        view.next().filter(it -> it.until().compareTo(runway.middle()) > 0).isEmpty();
    return "%s %s; then callers are refused.%s%s"
        .formatted(view.name(), when, growth(view), isInTime ? next(view) : "");
  }

  static String space(Host.VolumeView view, double share) {
    return "%s: %s of what may be used is free%s.%s%s"
        .formatted(
            view.name(),
            Formats.share(Math.max(0, share)),
            view.volume()
                .known()
                .map(it -> " (%s)".formatted(Formats.bytes(Math.max(0, it.freeBytes()))))
                .orElse(""),
            growth(view),
            next(view));
  }

  /**
   * @param refusing the services that refuse messages because of it
   * @param refused how many messages they have refused since it is full
   */
  static String full(Host.VolumeView view, Collection<String> refusing, long refused) {
    String who =
        switch (refusing.size()) {
          case 0 -> "messages are refused";
          case 1 -> refusing.iterator().next() + " refuses messages";
          default -> Formats.count(refusing.size(), "service") + " refuse messages";
        };
    return "%s is full: %s%s until space is freed; callers can repeat them. What was accepted is kept.%s%s%s"
        .formatted(
            view.name(),
            who,
            refused > 0 ? " (%s so far)".formatted(Formats.number(refused)) : "",
            growth(view),
            reserve(view),
            next(view, view.toFreeBytes()));
  }

  /** What is left, and how much must be freed. */
  private static String reserve(Host.VolumeView view) {
    return view.volume()
        .known()
        .filter(_ -> view.toFreeBytes() > 0)
        .map(it -> {
          long left = it.sizeBytes() - it.usedBytes();
          return " %s%s; at least %s must be freed."
              .formatted(
                  left > 0 ? Formats.bytes(left) + " are left" : "Nothing is left",
                  left > 0 && it.freeBytes() <= 0 ? " as reserve" : "",
                  Formats.bytes(view.toFreeBytes()));
        })
        .orElse("");
  }

  /** A volume that was full. */
  static String freed(String volume, Duration full, Duration ago, long refused) {
    return "%s has room again: it was full for %s, until %s, and %s refused; nothing accepted was lost."
        .formatted(
            volume,
            Formats.duration(full),
            Sentences.ago(ago),
            refused == 0
                ? "no message was"
                : Formats.count(refused, "message") + (refused == 1 ? " was" : " were"));
  }

  /** Who fills the disk, and what to do, if it is mostly others. */
  private static String growth(Host.VolumeView view) {
    return view.othersShare()
        .known()
        .filter(it -> it >= 0.5)
        .map(it ->
            " %s from queues: find what else writes there (a log, a database, another program), and stop it."
                .formatted(
                    it >= 0.995
                        ? "None of its growth is"
                        : "%s of its growth is not".formatted(Formats.share(it))))
        .orElse("");
  }

  private static String next(Host.VolumeView view) {
    return next(view, 0);
  }

  /**
   * @param toFree the bytes to free
   */
  private static String next(Host.VolumeView view, long toFree) {
    return view.next()
        .map(it ->
            " The next file (%s) is deleted %s%s."
                .formatted(
                    Formats.bytes(it.bytes()),
                    in(it.until()),
                    it.bytes() < toFree ? enough(view) : ""))
        .orElse(" No file is due for deletion.");
  }

  private static String enough(Host.VolumeView view) {
    return view.enough()
        .map(it ->
            "; enough files (%s) are deleted %s"
                .formatted(Formats.bytes(it.bytes()), in(it.until())))
        .orElse("; the files that are due do not free enough");
  }

  private static String in(Until until) {
    return until instanceof Until.Passed ? "now" : "in " + edge(until);
  }

  private static String edge(Until until) {
    return until.left().map(Formats::forecast).orElse("more than 30 days");
  }
}
