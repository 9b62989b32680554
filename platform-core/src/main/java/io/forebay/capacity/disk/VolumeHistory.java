/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Figure;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.capacity.series.RingHistory;
import io.forebay.capacity.series.Rings;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The history of a volume, and when it will be full. Add a sample every 1 to 10 s. Memory is
 * allocated once. Thread-safe.
 */
public final class VolumeHistory extends RingHistory {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofHours(24);
  private static final Duration RECENTLY = Duration.ofMinutes(2);

  /** The history by the second. */
  private static final Duration BY_SECOND = Duration.ofMinutes(15);

  private static final double TERA = 1e12;

  /** The times whose growth counts if it has lasted for all of the time. */
  private static final List<Duration> SHORT =
      List.of(
          Duration.ofSeconds(6),
          Duration.ofSeconds(15),
          Duration.ofSeconds(30),
          MINUTE,
          RECENTLY,
          Duration.ofMinutes(15),
          Duration.ofHours(2));

  /** The growth of some time says what happens within this multiple of it, and no more. */
  private static final int REACH = 20;

  /** Growth that lasts so long ends the promise of a longer history, before it is a forecast. */
  private static final Duration DOUBT = Duration.ofSeconds(15);

  /** In a shorter history, one burst would be all of the mean. */
  private static final Duration SETTLED = Duration.ofHours(1);

  /** The factors on the growth between the forecast and the edges of its range. */
  private static final double LEAST_RANGE = 1.25;

  private static final double MOST_RANGE = 3;

  private static final String NOT_SAMPLED = "known 6 s after the start";

  /** Growth of others below this is none, such as what the file system allocates later. */
  private static final long LEAST_OTHERS = 1 << 20;

  /** Growth of others counts before it lasts if they write in each third of one of these times. */
  private static final List<Duration> PRESENT = List.of(SHORT.getFirst(), Duration.ofSeconds(15));

  /** It counts if it fills the volume within this multiple of the time. */
  private static final int REACH_AT_PRESENT = 150;

  /** The least part of the mean that others have written in each third. */
  private static final double LEAST_PART = 0.25;

  /** The longer of two times is the more exact one, unless they differ by more: then it is old. */
  private static final double ALIKE = 1.2;

  /** Growth that has lasted confirms that of the last seconds, if it is not slower than this. */
  private static final double CONFIRMED = 2;

  private @Nullable VolumeSample latest;

  /** Since when the bytes written are counted. */
  private @Nullable Instant since;

  /** What others than queues used when it was first known without a gap. */
  private @Nullable Others first;

  /**
   * @param database the part of the bytes that Forebay's own database takes
   */
  private record Others(Instant at, long bytes, long database) {}

  /**
   * The growth of a volume in TB (10^12 bytes) per day, the mean of up to 24 hours.
   *
   * @param written written by all queues
   * @param deleted deleted by retention
   * @param database growth of Forebay's own database
   * @param others growth caused by others
   * @param net written - deleted + database + others
   */
  public record Growth(
      Figure<Double> written,
      Figure<Double> deleted,
      Figure<Double> database,
      Figure<Double> others,
      Figure<Double> net) {}

  public VolumeHistory() {
    super(
        new Rings(
            EnumSet.of(
                Measure.WRITTEN, Measure.DELETED, Measure.OTHERS, Measure.DATABASE, Measure.USED)));
  }

  /** 10^12 bytes per day, from bytes per second: g · 86,400 / 10^12. */
  public static double terabytesPerDay(double bytesPerSecond) {
    return bytesPerSecond * 86_400 / TERA;
  }

  /** Adds a sample; one that is not after the latest is dropped, as in {@link ServiceHistory}. */
  public synchronized void add(VolumeSample sample) {
    if (!rings.begin(sample.at())) {
      return;
    }
    VolumeSample before = latest;
    latest = sample;
    if (before != null) {
      double written = rate(before, sample, before.writtenBytes(), sample.writtenBytes());
      double deleted = rate(before, sample, before.deletedBytes(), sample.deletedBytes());
      rings.add(Measure.WRITTEN, written);
      if (!Double.isNaN(written) && (since == null || since.isAfter(before.at()))) {
        since = before.at();
      }
      rings.add(Measure.DELETED, deleted);
    }
    addOthers(sample);
    rings.add(
        Measure.USED, sample.usedBytes().isPresent() ? sample.usedBytes().getAsLong() : Double.NaN);
  }

  private static double rate(
      VolumeSample from, VolumeSample to, OptionalLong before, OptionalLong now) {
    return ServiceHistory.rate(from.at(), to.at(), before, now);
  }

  /** After a gap the volume may be another one, so the count starts over. */
  private void addOthers(VolumeSample sample) {
    if (sample.usedBytes().isEmpty() || sample.queueBytes().isEmpty()) {
      first = null;
      return;
    }
    Others now =
        new Others(
            sample.at(),
            sample.usedBytes().getAsLong() - sample.queueBytes().getAsLong(),
            sample.databaseBytes());
    if (first == null || first.at().isAfter(now.at())) {
      first = now;
    }
    rings.add(Measure.OTHERS, now.bytes() - first.bytes());
    rings.add(Measure.DATABASE, now.database() - first.database());
  }

  /**
   * Bytes per second by which others than queues, or the database, have grown the volume in a time;
   * negative if they deleted, and 0 if it is too little to tell it from the growth of queues.
   */
  private synchronized Figure<Double> grown(Measure measure, Instant from, Instant to) {
    if (first == null || !first.at().isBefore(to)) {
      return Figure.unknown("the volume was not sampled in 24 hours");
    }
    Instant begin = from.isAfter(first.at()) ? from : first.at();
    Points grown = read(measure, begin, to.plus(SECOND), SECOND);
    int begun = 0;
    while (begun < grown.size() && Float.isNaN(grown.raw(begun))) {
      begun++;
    }
    int last = grown.size() - 1;
    while (last > begun && Float.isNaN(grown.raw(last))) {
      last--;
    }
    double bytes = begun < last ? grown.raw(last) - grown.raw(begun) : 0;
    return Figure.measured(
        Math.abs(bytes) < LEAST_OTHERS
            ? 0
            : bytes / Duration.between(grown.time(begun), grown.time(last)).toSeconds());
  }

  /** The growth of the volume per day. */
  public Growth growth() {
    Figure<Double> written = perDay(Measure.WRITTEN);
    Figure<Double> deleted = perDay(Measure.DELETED);
    Figure<Double> database = grownIn(DAY, Measure.DATABASE).map(VolumeHistory::terabytesPerDay);
    Figure<Double> others = othersIn(DAY).map(VolumeHistory::terabytesPerDay);
    Figure<Double> net =
        written
            .with(deleted, (more, less) -> more - less)
            .with(database, Double::sum)
            .with(others, Double::sum);
    return new Growth(written, deleted, database, others, net);
  }

  private Figure<Double> perDay(Measure measure) {
    return perSecond(measure).map(VolumeHistory::terabytesPerDay);
  }

  private synchronized Figure<Double> perSecond(Measure measure) {
    Points points =
        latest == null
            ? new Points(0, 1, new float[0])
            : rings.read(measure, latest.at().minus(DAY), latest.at().plusSeconds(1), MINUTE);
    double mean = points.mean();
    return Double.isNaN(mean)
        ? Figure.unknown("the volume was not sampled in 24 hours")
        : Figure.measured(mean);
  }

  /**
   * When the volume will be full: at the mean growth of up to 24 hours or, in the first hour, at
   * the growth that lasts since the start; sooner if the growth of the last 6, 15 or 30 s, 1, 2 or
   * 15 minutes or 2 hours fills it within 20 times as long. A forecast beyond 20 times the known
   * history is "never". It is "at least" that time then, but no longer than the growth of the last
   * 15 s needs. The edges of the range are at a growth that is up to three times larger or smaller,
   * less if the forecast is short compared to the history; during a burst, the late edge is without
   * it.
   *
   * <p>What others have written for 6 or 15 s without a break counts if it fills the volume within
   * 150 times as long. Until it has lasted for a twentieth of the forecast, the forecast is not
   * {@link Runway#lasting}. Takes a few milliseconds.
   */
  public synchronized Figure<Runway> runway(Outlook outlook) {
    return forecast(outlook).map(Soonest::runway);
  }

  /** When the volume will be full in this situation, however short the history is. */
  public synchronized Figure<Until> full(Outlook outlook) {
    return forecast(outlook).map(it -> it.forecast().until());
  }

  private Figure<Soonest> forecast(Outlook outlook) {
    Duration known = DAY.compareTo(known()) < 0 ? DAY : known();
    if (latest == null || known.compareTo(SHORT.getFirst()) < 0) {
      return Figure.unknown(NOT_SAMPLED);
    }
    Instant now = latest.at();
    FillWalk walk = new FillWalk(outlook, now);
    Forecast usual = new Forecast(usual(known, now), known, walk);
    Forecast soonest = usual;
    double promised = usual.reach();
    for (Duration time : SHORT) {
      if (time.compareTo(known) <= 0) {
        Forecast lasting = new Forecast(lasting(time, now), time, walk);
        if (lasting.isWithinReach() && lasting.seconds() < soonest.seconds()) {
          soonest = lasting;
        } else if (time.compareTo(DOUBT) >= 0) {
          promised = Math.min(promised, lasting.seconds() / LEAST_RANGE);
        }
      }
    }
    double lasting = soonest.isWithinReach() ? soonest.seconds() : Double.POSITIVE_INFINITY;
    Forecast present = present(now, walk).orElse(soonest);
    Soonest found =
        present.seconds() < lasting && present != soonest
            ? new Soonest(present, usual, promised, lasting <= CONFIRMED * present.seconds())
            : new Soonest(soonest, usual, promised, true);
    return Figure.estimated(
        found, "from the growth of the last " + Formats.duration(found.forecast().of()));
  }

  /** What others write at present fills the volume soon; empty if it does not. */
  private Optional<Forecast> present(Instant now, FillWalk walk) {
    return PRESENT.stream()
        .flatMap(
            time -> withoutBreak(time, now).map(rate -> new Forecast(rate, time, walk)).stream())
        .filter(it -> it.seconds() <= REACH_AT_PRESENT * it.of().toSeconds())
        .reduce((brief, longer) -> longer.seconds() < ALIKE * brief.seconds() ? longer : brief);
  }

  /** The mean, if others than queues and the database have written in each third of the time. */
  private Optional<Rate> withoutBreak(Duration time, Instant now) {
    Instant to = now.truncatedTo(ChronoUnit.SECONDS);
    Instant from = to.minus(time);
    if (first == null || first.at().isAfter(from)) {
      return Optional.empty();
    }
    Points all = read(Measure.OTHERS, from, to.plus(SECOND), SECOND);
    Points database = read(Measure.DATABASE, from, to.plus(SECOND), SECOND);
    double[] bytes = new double[4];
    for (int third = 0; third < bytes.length; third++) {
      int at = third * (int) time.toSeconds() / 3;
      bytes[third] = latest(all, at) - latest(database, at);
    }
    double grown = bytes[3] - bytes[0];
    boolean isWithoutBreak = grown >= LEAST_OTHERS;
    for (int third = 0; third < 3; third++) {
      isWithoutBreak &= bytes[third + 1] - bytes[third] >= LEAST_PART * grown / 3;
    }
    Rate rate = new Rate(mean(from, now).written(), grown / time.toSeconds());
    return isWithoutBreak ? Optional.of(rate) : Optional.empty();
  }

  /** The value of a second, or of the second before if that one has no sample. */
  private static double latest(Points points, int at) {
    return Float.isNaN(points.raw(at)) && at > 0 ? points.raw(at - 1) : points.raw(at);
  }

  /** The time since the first sample of what queues write. */
  private Duration known() {
    return latest == null || since == null ? Duration.ZERO : Duration.between(since, latest.at());
  }

  private Rate usual(Duration known, Instant now) {
    if (known.compareTo(SETTLED) < 0) {
      return lasting(known, now);
    }
    return mean(now.minus(known), now);
  }

  /** Bytes per second that queues and others write. */
  private record Rate(double written, double others) {

    double sum() {
      return written + others;
    }
  }

  /**
   * @param of the time in which the rate was measured
   */
  private record Forecast(Rate rate, Duration of, FillWalk walk, double seconds) {

    Forecast(Rate rate, Duration of, FillWalk walk) {
      this(rate, of, walk, walk.secondsUntilFull(rate.written(), rate.others()));
    }

    Forecast times(double factor) {
      return new Forecast(new Rate(rate.written() * factor, rate.others() * factor), of, walk);
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

    /** The factor between the growth and its edges. */
    double range() {
      double ahead = Math.min(seconds, Runway.HORIZON.toSeconds());
      return Math.clamp(Math.sqrt(ahead / Math.max(1, of.toSeconds())), LEAST_RANGE, MOST_RANGE);
    }
  }

  /**
   * @param usual the forecast without a burst
   * @param promised seconds in which it is not full for certain, if there is no forecast
   * @param isLasting whether the growth has lasted long enough for the forecast
   */
  private record Soonest(Forecast forecast, Forecast usual, double promised, boolean isLasting) {

    Runway runway() {
      double range = forecast.range();
      Until middle = forecast.until();
      Until low = forecast.times(range).until().sooner(middle);
      if (forecast == usual && !forecast.isWithinReach()) {
        Duration reach = Duration.ofSeconds((long) promised);
        Until never = new Until.Never("not within " + Formats.duration(reach));
        Until least = reach.compareTo(Runway.HORIZON) < 0 ? new Until.In(reach) : never;
        return new Runway(never, low.sooner(least), never, true);
      }
      Until high = forecast.times(1 / range).until().later(usual.until());
      return new Runway(middle, low, high, isLasting);
    }
  }

  /** Growth that lasts: of both halves of the time, the smaller one. */
  private Rate lasting(Duration window, Instant now) {
    Instant half = now.minus(window.dividedBy(2));
    Rate before = mean(now.minus(window), half);
    Rate lately = mean(half, now);
    return before.sum() < lately.sum() ? before : lately;
  }

  private Rate mean(Instant from, Instant to) {
    boolean bySecond = Duration.between(from, to).compareTo(BY_SECOND) <= 0;
    double written = rings.read(Measure.WRITTEN, from, to, bySecond ? SECOND : MINUTE).mean();
    return new Rate(
        Double.isNaN(written) ? 0 : written,
        Math.max(0, grown(Measure.OTHERS, from, to).known().orElse(0.0)));
  }

  /**
   * The part of others in the growth of the last 2 minutes, 0 to 1: of what was written to the
   * volume, the part that is neither in files of queues nor in Forebay's own database. Unknown if
   * nothing was written.
   */
  public Figure<Double> othersShare() {
    Instant to = at().map(it -> it.plusSeconds(1)).orElse(Instant.EPOCH);
    double written = read(Measure.WRITTEN, to.minus(RECENTLY), to, SECOND).mean();
    double database = Figure.number(grownIn(RECENTLY, Measure.DATABASE));
    double others = Figure.number(othersPerSecond());
    double all = Math.max(0, written) + Math.max(0, database) + Math.max(0, others);
    return all > 0
        ? Figure.measured(Math.max(0, others) / all)
        : Figure.unknown("nothing was written to the volume in 2 minutes");
  }

  /** Bytes per second by which others grew the volume in the last 2 minutes. */
  public Figure<Double> othersPerSecond() {
    return othersIn(RECENTLY);
  }

  private Figure<Double> othersIn(Duration before) {
    return grownIn(before, Measure.OTHERS)
        .with(grownIn(before, Measure.DATABASE), (all, database) -> all - database);
  }

  private Figure<Double> grownIn(Duration before, Measure measure) {
    Instant now = at().orElse(Instant.EPOCH);
    return grown(measure, now.minus(before), now);
  }

  /** When the latest sample was taken. */
  public synchronized Optional<Instant> at() {
    return Optional.ofNullable(latest).map(VolumeSample::at);
  }
}
