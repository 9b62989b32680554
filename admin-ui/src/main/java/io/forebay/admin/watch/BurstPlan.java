/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.capacity.BurstCourse;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.ServiceHistory;
import io.forebay.report.Host;
import io.forebay.report.ServiceWatch;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a burst does to a service. */
final class BurstPlan {

  private static final Duration USUAL = Duration.ofMinutes(5);

  private final @Nullable Host host;

  BurstPlan(@Nullable Host host) {
    this.host = host;
  }

  /**
   * @param rate the requested messages per second, otherwise the reference rate
   * @param now messages per second that are accepted now
   * @param can messages per second that the database can perform
   * @param cautious those that the planner reckons with; see {@link ServiceHistory#cautiousRate}
   * @param typical how long bursts usually last
   * @param plan what the requested burst does; null if its rate is unknown
   */
  record Document(
      Figure<Double> rate,
      Figure<Double> now,
      Figure<Double> can,
      Figure<Double> cautious,
      Figure<Double> reference,
      Figure<Duration> typical,
      @Nullable Plan plan) {}

  /**
   * One burst. Times are seconds from its beginning, unless noted.
   *
   * @param begin when it begins
   * @param length how long it lasts
   * @param intake messages per second after it
   * @param free bytes that its queues may still use now
   */
  record Plan(
      Instant begin,
      Duration length,
      Figure<Double> intake,
      Figure<Long> free,
      @JsonUnwrapped BurstCourse course) {}

  /**
   * A burst to plan.
   *
   * @param rate messages per second; null for the reference rate
   * @param length null for the usual length
   * @param begin null for now
   */
  record Asked(@Nullable Double rate, @Nullable Duration length, @Nullable Instant begin) {}

  Document of(ServiceWatch watch, Asked wanted, Instant now) {
    BurstHeadroom.Service before = watch.past().beforeBurst(watch.limit());
    Figure<Double> reference = watch.past().referenceBurst();
    Figure<Double> asked = wanted.rate() == null ? reference : Figure.measured(wanted.rate());
    return new Document(
        asked,
        before.accepted(),
        watch.past().databaseRate().perSecond(),
        before.databaseRate(),
        reference,
        watch.past().typicalBurst(),
        asked.known().map(rate -> plan(watch, before, rate, wanted, now)).orElse(null));
  }

  private Plan plan(
      ServiceWatch watch, BurstHeadroom.Service now, double rate, Asked wanted, Instant at) {
    Instant begin = wanted.begin() == null ? at : wanted.begin();
    Duration length =
        wanted.length() == null
            ? watch.past().typicalBurst().known().orElse(USUAL)
            : wanted.length();
    Figure<Double> intake = watch.past().expected(begin);
    BurstHeadroom.Service then =
        new BurstHeadroom.Service(
            now.limit(),
            intake,
            now.databaseRate(),
            waitingAt(now, Lag.seconds(Duration.between(at, begin))),
            now.bytesPerMessage());
    return new Plan(begin, length, intake, free(), BurstCourse.of(rate, length, then));
  }

  /** The messages that wait later, at the present rates: L + (A - C) t, at least none. */
  private static Figure<Long> waitingAt(BurstHeadroom.Service now, double seconds) {
    if (seconds <= 0) {
      return now.unperformed();
    }
    return now.unperformed()
        .then(waiting ->
            waiting == 0 && now.databaseRate().known().isEmpty()
                ? Figure.measured(0L)
                : now.accepted()
                    .with(
                        now.databaseRate(),
                        (in, can) -> Math.max(0, Math.round(waiting + (in - can) * seconds))));
  }

  private Figure<Long> free() {
    return host == null
        ? Figure.unknown("queues are not on disk")
        : host.volume()
            .map(it -> it.volume().map(volume -> Math.max(0, volume.freeBytes())))
            .orElseGet(() -> Figure.unknown("queues are not on disk"));
  }
}
