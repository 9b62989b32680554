/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a burst of one rate and one length does to a service, by the fluid model of a queue (G. F.
 * Newell, Applications of Queueing Theory, 1982, chapter 2): X messages per second come during the
 * burst, A after it, and the database performs C.
 *
 * <pre>
 * B(t) = max(0, L + (X - C) t)              during the burst, 0 &lt;= t &lt;= T
 * B(t) = max(0, B(T) + (A - C) (t - T))     after it
 * wait of a message that comes at t: B(t) / C
 * </pre>
 *
 * All times count from the beginning of the burst, unless noted.
 *
 * @param late until a message waits longer than the limit; never if none does
 * @param onTime until messages are within the limit again; passed if none is late
 * @param longestWait the longest wait of a message
 * @param bytes bytes on disk that the messages of the burst take
 * @param recovery from the end of the burst until no message waits
 * @param points the wait over time
 */
public record BurstCourse(
    Figure<Until> late,
    Figure<Until> onTime,
    Figure<Duration> longestWait,
    Figure<Long> bytes,
    Figure<Until> recovery,
    List<Point> points) {

  private static final int POINTS = 120;
  private static final String ENDS = "the burst ends before";

  /**
   * @param seconds since the beginning of the burst
   * @param behind seconds that a message waits that comes then
   */
  public record Point(double seconds, double behind) {}

  /** The messages that wait: a broken line with a bend at the end of the burst. */
  private record Backlog(
      double limit, double before, double length, double during, double after, double can) {

    double at(double seconds) {
      return seconds <= length
          ? Math.max(0, before + during * seconds)
          : Math.max(0, at(length) + after * (seconds - length));
    }

    double most() {
      return Math.max(before, at(length));
    }

    /** Seconds until at most {@link #limit} wait, for good; infinite if that is never. */
    double onTime() {
      double end = at(length);
      if (end > limit) {
        return after < 0 ? length + (end - limit) / -after : Double.POSITIVE_INFINITY;
      }
      return before > limit ? (before - limit) / -during : 0;
    }

    /** From the end of the burst until none waits: (L + (X - C) T) / (C - A). */
    Until recovery() {
      double left = at(length);
      return Until.ofSeconds(
          left <= 0 ? 0 : after < 0 ? left / -after : Double.POSITIVE_INFINITY,
          "no more is performed than arrives");
    }
  }

  /**
   * @param service at the beginning of the burst; its intake is that after the burst
   */
  public static BurstCourse of(double perSecond, Duration length, BurstHeadroom.Service service) {
    Figure<Backlog> backlog =
        service
            .databaseRate()
            .then(can ->
                service
                    .unperformed()
                    .with(
                        service.accepted(),
                        (waiting, usual) ->
                            new Backlog(
                                Lag.seconds(service.limit()) * can,
                                waiting,
                                Lag.seconds(length),
                                perSecond - can,
                                usual - can,
                                can)));
    Figure<Until> recovery = backlog.map(Backlog::recovery);
    return new BurstCourse(
        BurstHeadroom.late(perSecond, service).map(it -> within(it, length)),
        backlog.map(it -> Until.ofSeconds(it.onTime(), "it does not catch up")),
        backlog.map(it -> Duration.ofNanos((long) Math.min(1e9 * it.most() / it.can(), 1e18))),
        service.bytesPerMessage().map(bytes -> (long) (bytes * perSecond * Lag.seconds(length))),
        recovery,
        backlog.known().map(it -> points(it, length, recovery)).orElse(List.of()));
  }

  private static Until within(Until late, Duration length) {
    return late.left().filter(it -> it.compareTo(length) > 0).isPresent()
        ? new Until.Never(ENDS)
        : late;
  }

  /** Until no message waits; twice the length if that takes much longer or is never. */
  private static List<Point> points(Backlog backlog, Duration length, Figure<Until> recovery) {
    double most = 10 * Lag.seconds(length);
    double after = recovery.known().flatMap(Until::left).map(Lag::seconds).orElse(0.0);
    double end =
        Lag.seconds(length) + (after > 0 ? Math.min(after * 1.05, most) : Lag.seconds(length) / 2);
    List<Point> points = new ArrayList<>();
    for (int i = 0; i <= POINTS; i++) {
      double at = end * i / POINTS;
      points.add(new Point(at, backlog.at(at) / backlog.can()));
    }
    return List.copyOf(points);
  }
}
