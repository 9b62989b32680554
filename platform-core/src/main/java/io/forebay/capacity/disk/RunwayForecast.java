/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.VolumeHistory.Rate;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When the volume will be full: at the mean growth of up to 24 hours or, in the first hour, at the
 * growth that lasts since the start; sooner if the growth of the last 6, 15 or 30 s, 1, 2 or 15
 * minutes or 2 hours fills it within 20 times as long. A forecast beyond 20 times the known history
 * is "never". It is "at least" that time then, but no longer than the growth of any of these times
 * from 15 s on needs. The early edge of the range is at a growth that is up to three times larger,
 * less if the forecast is short compared to the history.
 *
 * <p>What others have written in each third of the last 6, 15 or 30 s is told beside the forecast
 * if it fills the volume within 20 minutes and sooner than the forecast: {@link Runway#begun}.
 *
 * @param usual the growth without a burst
 * @param forecast the growth that fills it soonest and has lasted long enough; empty if none has
 * @param begun what others began to write; empty if the forecast is about as soon
 * @param even what others write, if they write it evenly for 30 s and the forecast is about that
 * @param promised seconds in which it is not full for certain, if there is no forecast
 */
record RunwayForecast(
    Filling usual,
    Optional<Filling> forecast,
    Optional<Filling> begun,
    Optional<Filling> even,
    double promised) {

  private static final Duration DAY = Duration.ofHours(24);
  private static final Duration BRIEF = Duration.ofSeconds(6);

  /** The times whose growth counts if it has lasted for all of the time. */
  private static final List<Duration> SHORT =
      List.of(
          BRIEF,
          Duration.ofSeconds(15),
          Duration.ofSeconds(30),
          Duration.ofMinutes(1),
          Duration.ofMinutes(2),
          Duration.ofMinutes(15),
          Duration.ofHours(2));

  /** The growth of some time says what happens within this multiple of it, and no more. */
  private static final int REACH = 20;

  /** Growth that lasts so long ends the promise of a longer history, before it is a forecast. */
  private static final Duration DOUBT = Duration.ofSeconds(15);

  /** In a shorter history, one burst would be all of the mean. */
  private static final Duration SETTLED = Duration.ofHours(1);

  /** The factors on the growth between the forecast and the early edge; the least if it is even. */
  private static final double LEAST_RANGE = 1.25;

  private static final double MOST_RANGE = 3;

  /**
   * Growth of others counts before it lasts if they write in each third of one of these times: of
   * the longest one in which they write evenly, because the shorter one is less exact.
   */
  private static final List<Thirds> BEGUN =
      List.of(
          new Thirds(Duration.ofSeconds(30), 0.65),
          new Thirds(Duration.ofSeconds(15), 0.65),
          new Thirds(BRIEF, 0.25),
          new Thirds(Duration.ofSeconds(15), 0.25));

  /** It counts if it fills the volume within this time. */
  private static final Duration MOST_BEGUN = Duration.ofMinutes(20);

  /** What others began to write is told if the forecast is later by more than this factor. */
  private static final double ALIKE = 1.2;

  /**
   * @param leastPart the least part of the mean growth that others have written in each third
   */
  record Thirds(Duration of, double leastPart) {}

  /**
   * @param of the time in which the rate was measured
   * @param seconds until the volume is full at this rate
   */
  record Filling(Rate rate, Duration of, FillWalk walk, double seconds) {

    Filling(Rate rate, Duration of, FillWalk walk) {
      this(rate, of, walk, walk.secondsUntilFull(rate.written(), rate.others()));
    }

    Filling times(double factor) {
      return new Filling(new Rate(rate.written() * factor, rate.others() * factor), of, walk);
    }

    /** Whether it is sooner by more than a factor; also if there is no other. */
    boolean isSooner(double factor, Optional<Filling> other) {
      return other.isEmpty() || factor * seconds < other.get().seconds;
    }

    boolean isWithinReach() {
      return seconds <= reach();
    }

    double reach() {
      return Math.min(REACH * of.toSeconds(), Runway.HORIZON.toSeconds());
    }

    Until until() {
      return Until.ofSeconds(seconds, "not within 30 d");
    }

    /** The factor between the growth and that of the early edge. */
    double range() {
      double ahead = Math.min(seconds, Runway.HORIZON.toSeconds());
      return Math.clamp(Math.sqrt(ahead / Math.max(1, of.toSeconds())), LEAST_RANGE, MOST_RANGE);
    }
  }

  static Figure<RunwayForecast> of(VolumeHistory history, Outlook outlook) {
    Instant now = history.at().orElse(Instant.EPOCH);
    Duration known = DAY.compareTo(history.known()) < 0 ? DAY : history.known();
    if (known.compareTo(BRIEF) < 0) {
      return Figure.unknown("the first forecast comes 6 s after the start");
    }
    FillWalk walk = new FillWalk(outlook, now);
    Rate mean =
        known.compareTo(SETTLED) < 0
            ? lasting(history, known, now)
            : history.mean(now.minus(known), now);
    Filling usual = new Filling(mean, known, walk);
    Optional<Filling> soonest = Optional.of(usual).filter(Filling::isWithinReach);
    double promised = usual.reach();
    for (Duration time : SHORT) {
      if (time.compareTo(known) <= 0) {
        Filling lasting = new Filling(lasting(history, time, now), time, walk);
        if (lasting.isWithinReach() && lasting.isSooner(1, soonest)) {
          soonest = Optional.of(lasting);
        } else if (time.compareTo(DOUBT) >= 0) {
          promised = Math.min(promised, lasting.seconds() / LEAST_RANGE);
        }
      }
    }
    Optional<Filling> forecast = soonest;
    Optional<Filling> others = begun(history, usual, now);
    Optional<Filling> begun = others.filter(it -> it.isSooner(ALIKE, forecast));
    Optional<Filling> even =
        others
            .filter(it -> it.of().compareTo(DOUBT) > 0)
            .filter(it -> forecast.isPresent() && !forecast.get().isSooner(ALIKE, Optional.of(it)));
    double least = begun.map(it -> it.times(it.range()).seconds()).orElse(promised);
    RunwayForecast found =
        new RunwayForecast(usual, forecast, begun, even, Math.min(promised, least));
    return Figure.estimated(
        found, "from the growth of the last " + Formats.duration(found.nearest().of()));
  }

  /** What others began to write fills the volume soon and is most of its growth; else empty. */
  private static Optional<Filling> begun(VolumeHistory history, Filling usual, Instant now) {
    return BEGUN.stream()
        .flatMap(time ->
            history.othersWithoutBreak(time, now).stream()
                .mapToObj(it ->
                    new Filling(new Rate(usual.rate().written(), it), time.of(), usual.walk())))
        .findFirst()
        .filter(it -> it.seconds() <= MOST_BEGUN.toSeconds())
        .filter(it -> it.rate().others() >= it.rate().written());
  }

  /** Growth that lasts: of both halves of the time, the smaller one. */
  private static Rate lasting(VolumeHistory history, Duration window, Instant now) {
    Instant half = now.minus(window.dividedBy(2));
    Rate before = history.mean(now.minus(window), half);
    Rate lately = history.mean(half, now);
    return before.sum() < lately.sum() ? before : lately;
  }

  private Filling nearest() {
    return begun.or(() -> forecast).orElse(usual);
  }

  Until until() {
    return nearest().until();
  }

  Runway runway() {
    @Nullable Until soon = begun.map(Filling::until).orElse(null);
    Filling filling = forecast.orElse(usual);
    Until middle = filling.until();
    Until low =
        even.map(it -> it.times(LEAST_RANGE))
            .orElseGet(() -> filling.times(filling.range()))
            .until()
            .sooner(middle);
    if (forecast.isEmpty()) {
      Duration reach = Duration.ofSeconds((long) promised);
      Until never = new Until.Never("not within " + Formats.duration(reach));
      Until least = reach.compareTo(Runway.HORIZON) < 0 ? new Until.In(reach) : never;
      return new Runway(never, low.sooner(least), soon);
    }
    return new Runway(middle, low, soon);
  }
}
