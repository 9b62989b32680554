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
import io.forebay.capacity.series.RingLengths;
import io.forebay.capacity.series.Rings;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The history of a volume, and when it will be full. Add a sample every 1 to 10 s; compute the
 * runway once a minute. Memory is allocated once ({@link RingLengths}). Thread-safe.
 */
public final class VolumeHistory extends RingHistory {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofHours(24);
  private static final Duration RECENTLY = Duration.ofMinutes(2);

  /** The history by the second. */
  private static final Duration BY_SECOND = Duration.ofMinutes(15);

  private static final double TERA = 1e12;

  /** Growth of such a time counts if it has lasted for it, and would fill the volume soon. */
  private static final List<Duration> SHORT =
      List.of(
          Duration.ofSeconds(6),
          Duration.ofSeconds(30),
          RECENTLY,
          Duration.ofMinutes(15),
          Duration.ofHours(2));

  /** Soon is within this multiple of the time: a burst does not say what happens tomorrow. */
  private static final int REACH = 20;

  /** In a shorter history, one burst would be all of the mean. */
  private static final Duration SETTLED = Duration.ofHours(1);

  /** The factors on the growth between the forecast and the edges of its range. */
  private static final double LEAST_RANGE = 1.25;

  private static final double MOST_RANGE = 3;

  private static final String NOT_SAMPLED = "needs a minute of samples";

  /**
   * Growth of others below this is none: files of Forebay that are not queues, and what the file
   * system allocates later.
   */
  private static final long LEAST_OTHERS = 1 << 20;

  private @Nullable VolumeSample latest;

  /** Since when the bytes written are counted. */
  private @Nullable Instant since;

  /** Since when the used bytes of others are known without a gap, and what they were then. */
  private @Nullable Others others;

  private record Others(Instant since, long bytes) {}

  /**
   * The growth of a volume in TB (10^12 bytes) per day, the mean of up to 24 hours.
   *
   * @param written written by all queues
   * @param deleted deleted by retention
   * @param others growth caused by others
   */
  public record Growth(Figure<Double> written, Figure<Double> deleted, Figure<Double> others) {

    /** written - deleted + others. */
    public Figure<Double> net() {
      return written.with(deleted, (more, less) -> more - less).with(others, Double::sum);
    }
  }

  public VolumeHistory(RingLengths lengths) {
    super(
        new Rings(
            EnumSet.of(Measure.WRITTEN, Measure.DELETED, Measure.OTHERS, Measure.USED), lengths));
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
    rings.add(Measure.OTHERS, othersGrown(sample));
    rings.add(
        Measure.USED, sample.usedBytes().isPresent() ? sample.usedBytes().getAsLong() : Double.NaN);
  }

  private static double rate(
      VolumeSample from, VolumeSample to, OptionalLong before, OptionalLong now) {
    return ServiceHistory.rate(from.at(), to.at(), before, now);
  }

  /**
   * By how much others have grown the volume since they are known. After a gap the volume may be
   * another one, so the count begins anew.
   */
  private double othersGrown(VolumeSample sample) {
    if (sample.usedBytes().isEmpty() || sample.ownBytes().isEmpty()) {
      others = null;
      return Double.NaN;
    }
    long bytes = sample.usedBytes().getAsLong() - sample.ownBytes().getAsLong();
    if (others == null || others.since().isAfter(sample.at())) {
      others = new Others(sample.at(), bytes);
    }
    return bytes - others.bytes();
  }

  /**
   * Bytes per second by which others have grown the volume since then; negative if they deleted,
   * and 0 if it is too little to tell it from Forebay's own.
   */
  private synchronized Figure<Double> others(Instant from, Instant to) {
    if (others == null || !others.since().isBefore(to)) {
      return Figure.unknown("the volume was not sampled in 24 hours");
    }
    Points grown =
        read(
            Measure.OTHERS,
            from.isAfter(others.since()) ? from : others.since(),
            to.plus(SECOND),
            SECOND);
    int first = 0;
    while (first < grown.size() && Float.isNaN(grown.raw(first))) {
      first++;
    }
    int last = grown.size() - 1;
    while (last > first && Float.isNaN(grown.raw(last))) {
      last--;
    }
    double bytes = first < last ? grown.raw(last) - grown.raw(first) : 0;
    return Figure.measured(
        Math.abs(bytes) < LEAST_OTHERS
            ? 0
            : bytes / Duration.between(grown.time(first), grown.time(last)).toSeconds());
  }

  /** The growth of the volume per day. */
  public Growth growth() {
    return new Growth(
        perDay(Measure.WRITTEN),
        perDay(Measure.DELETED),
        othersSince(DAY).map(VolumeHistory::terabytesPerDay));
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
   * the growth that lasts since the start; sooner if it grows so fast that the growth of the last 6
   * s, 30 s, 2 minutes, 15 minutes or 2 hours fills it within 20 times as long. The edges of the
   * range are at a growth that is up to three times larger or smaller, less if the forecast is
   * short compared to the history; during a burst, the late edge is without it. Takes a few
   * milliseconds.
   */
  public synchronized Figure<Runway> runway(Outlook outlook) {
    if (latest == null || since == null) {
      return Figure.unknown(NOT_SAMPLED);
    }
    Instant now = latest.at();
    Duration known = Duration.between(since, now);
    Duration history = known.compareTo(DAY) < 0 ? known : DAY;
    FillWalk walk = new FillWalk(outlook, now);
    Rate rate =
        history.compareTo(SETTLED) < 0 ? lasting(history, now) : mean(now.minus(history), now);
    Forecast usual = rate.forecast(walk, history);
    Forecast forecast = usual;
    boolean isShort = false;
    for (Duration window : SHORT) {
      if (known.compareTo(window) >= 0) {
        Forecast lasting = lasting(window, now).forecast(walk, window);
        if (lasting.seconds() <= REACH * window.toSeconds()
            && (!isShort || lasting.seconds() < forecast.seconds())
            && lasting.seconds() < usual.seconds()) {
          forecast = lasting;
          isShort = true;
        }
      }
    }
    if (!isShort && known.compareTo(MINUTE) < 0) {
      return Figure.unknown(NOT_SAMPLED);
    }
    return Figure.estimated(
        forecast.runway(outlook, usual, walk, now),
        "from the growth of the last " + Formats.duration(forecast.of()));
  }

  /** Bytes per second that queues and others write. */
  private record Rate(double written, double others) {

    Forecast forecast(FillWalk walk, Duration of) {
      return new Forecast(this, of, walk.walk(written, others));
    }

    Rate times(double factor) {
      return new Rate(written * factor, others * factor);
    }

    double sum() {
      return written + others;
    }
  }

  /**
   * @param of the time in which the rate was measured
   */
  private record Forecast(Rate rate, Duration of, FillWalk.End end) {

    double seconds() {
      return Double.isNaN(end.seconds()) ? Double.POSITIVE_INFINITY : end.seconds();
    }

    Runway runway(Outlook outlook, Forecast usual, FillWalk walk, Instant now) {
      double ahead = Math.min(seconds(), Runway.HORIZON.toSeconds());
      double range =
          Math.clamp(Math.sqrt(ahead / Math.max(1, of.toSeconds())), LEAST_RANGE, MOST_RANGE);
      Until middle = end.until();
      return new Runway(
          middle,
          rate.times(range).forecast(walk, of).end().until().sooner(middle),
          rate.times(1 / range).forecast(walk, of).end().until().later(usual.end().until()),
          outlook.volume().sizeBytes() > 0 ? end.peakBytes() / outlook.volume().sizeBytes() : 1,
          now.plus(Duration.ofMillis((long) (1000 * end.peakSeconds()))));
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
        Double.isNaN(written) ? 0 : written, Math.max(0, others(from, to).known().orElse(0.0)));
  }

  /**
   * The part of others in the growth of the last 2 minutes, 0 to 1: of what was written to the
   * volume, the part that is not in files of queues. Unknown if nothing was written.
   */
  public Figure<Double> othersShare() {
    Instant to = at().map(it -> it.plusSeconds(1)).orElse(Instant.EPOCH);
    double others = othersPerSecond().known().orElse(Double.NaN);
    double written = read(Measure.WRITTEN, to.minus(RECENTLY), to, SECOND).mean();
    return Double.isNaN(others) || Double.isNaN(written) || Math.max(others, written) <= 0
        ? Figure.unknown("nothing was written to the volume in 2 minutes")
        : Figure.measured(Math.max(0, others) / (Math.max(0, others) + Math.max(0, written)));
  }

  /** Bytes per second by which others grew the volume in the last 2 minutes. */
  public Figure<Double> othersPerSecond() {
    return othersSince(RECENTLY);
  }

  private Figure<Double> othersSince(Duration before) {
    Instant now = at().orElse(Instant.EPOCH);
    return others(now.minus(before), now);
  }

  /** When the latest sample was taken. */
  public synchronized Optional<Instant> at() {
    return Optional.ofNullable(latest).map(VolumeSample::at);
  }
}
