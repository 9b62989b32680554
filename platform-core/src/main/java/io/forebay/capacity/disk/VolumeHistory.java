/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Figure;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Volume;
import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.capacity.series.RingHistory;
import io.forebay.capacity.series.RingLengths;
import io.forebay.capacity.series.Rings;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The history of a volume, and when it will be full. Add a sample every 1 to 10 s; compute the
 * runway once a minute. Memory is allocated once ({@link RingLengths}). Thread-safe.
 */
public final class VolumeHistory extends RingHistory {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration GROWTH = Duration.ofHours(24);
  private static final Duration HISTORY = Duration.ofDays(14);
  private static final double TERA = 1e12;
  private static final Duration RECENTLY = Duration.ofMinutes(2);
  private static final Duration BURST = Duration.ofMinutes(5);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String OF_MINUTES = "rough: from the growth of the last minutes";
  private static final String NO_HISTORY = "needs 15 minutes of history, has 0";

  /**
   * Growth of others below this is none: files of Forebay that are not queues, and what the file
   * system allocates later.
   */
  private static final long LEAST_OTHERS = 1 << 20;

  private @Nullable VolumeSample latest;

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
  private synchronized Figure<Double> others(Instant from) {
    return others(from, latest == null ? Instant.EPOCH : latest.at());
  }

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
    int last = RecentGrowth.known(grown, grown.size() - 1);
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
        others(at().orElse(Instant.EPOCH).minus(GROWTH)).map(VolumeHistory::terabytesPerDay));
  }

  private Figure<Double> perDay(Measure measure) {
    return perSecond(measure).map(VolumeHistory::terabytesPerDay);
  }

  private synchronized Figure<Double> perSecond(Measure measure) {
    Points points =
        latest == null
            ? new Points(0, 1, new float[0])
            : rings.read(measure, latest.at().minus(GROWTH), latest.at().plusSeconds(1), MINUTE);
    double mean = points.mean();
    return Double.isNaN(mean)
        ? Figure.unknown("the volume was not sampled in 24 hours")
        : Figure.measured(mean);
  }

  /**
   * When the volume will be full: estimated from up to 14 days of minutes, rough with a wider band
   * below 48 hours of history, and unknown below 15 minutes. Takes a few milliseconds.
   */
  public Figure<Runway> runway(Outlook outlook) {
    return at().map(now -> estimator(now, outlook.volume()).runway(outlook, now))
        .orElseGet(() -> Figure.unknown(NO_HISTORY));
  }

  /**
   * When the volume will be full in its present situation: as {@link #runway}, but sooner if it
   * grows so fast that it is full within 2 minutes (the growth of the last 3 to 12 s), 5 minutes
   * (of the last 5 to 12 s), 30 minutes (of the last 2 minutes) or 2 hours (of the last 10). After
   * much space was freed, only the growth since then counts.
   */
  public Figure<Runway> present(Outlook outlook) {
    Figure<Runway> usual = runway(outlook);
    Instant now = at().orElse(Instant.EPOCH);
    return recent(outlook.volume())
        .map(it -> it.with(outlook.extraBytesPerSecond()))
        .map(it -> it.forecast(outlook.volume(), now).runway(outlook.volume(), now))
        .filter(it -> isSooner(it, usual))
        .<Figure<Runway>>map(it -> Figure.estimated(it, OF_MINUTES))
        .orElse(usual);
  }

  private static boolean isSooner(Runway recent, Figure<Runway> usual) {
    return usual.known().filter(it -> it.middle().compareTo(recent.middle()) <= 0).isEmpty();
  }

  private Optional<RecentGrowth> recent(Volume volume) {
    return at().flatMap(now ->
        RecentGrowth.of(volume, (from, to, step) -> read(Measure.USED, from, to, step), now));
  }

  /**
   * The part of others in the growth of the last 2 minutes, 0 to 1: of what was written to the
   * volume, the part that is not in files of queues. If {@link #present} extrapolates the last 10
   * minutes, of those. Unknown if nothing was written.
   */
  public Figure<Double> othersShare(Volume volume) {
    Instant to = at().map(it -> it.plusSeconds(1)).orElse(Instant.EPOCH);
    Instant from = to.minus(lately(volume));
    double others = others(from).known().orElse(Double.NaN);
    double written = read(Measure.WRITTEN, from, to, SECOND).mean();
    return Double.isNaN(others) || Double.isNaN(written) || Math.max(others, written) <= 0
        ? Figure.unknown("nothing was written to the volume in 2 minutes")
        : Figure.measured(Math.max(0, others) / (Math.max(0, others) + Math.max(0, written)));
  }

  /** Bytes per second by which others grow the volume, over the time of {@link #othersShare}. */
  public Figure<Double> othersPerSecond(Volume volume) {
    return others(at().orElse(Instant.EPOCH).minus(lately(volume)));
  }

  private Duration lately(Volume volume) {
    return recent(volume).map(RecentGrowth::over).orElse(RECENTLY);
  }

  /**
   * The forecast use of the volume, for a chart, from now until the late edge of the {@link
   * #present} runway is full, at most 30 days. If the late edge never fills, the chart ends a
   * little after the middle or else the early edge does. Costs as much as the runway.
   *
   * @param atLeast the least length of the curve, even if the volume is full before
   * @param points at least 2
   */
  public Figure<Runway.Curve> curve(Outlook outlook, Duration atLeast, int points) {
    Volume volume = outlook.volume();
    Figure<Runway> usual = runway(outlook);
    return at().map(now ->
            recent(volume)
                .map(it -> it.forecast(volume, now))
                .filter(it -> isSooner(it.runway(volume, now), usual))
                .<Figure<Runway.Curve>>map(
                    it -> Figure.estimated(it.curve(volume, now, atLeast, points), OF_MINUTES))
                .orElseGet(() -> estimator(now, volume).curve(outlook, now, atLeast, points)))
        .orElseGet(() -> Figure.unknown(NO_HISTORY));
  }

  /**
   * How often forecasts of this length were right, computed by repeating those of the last 7 days
   * with the data known then. Takes about a tenth of a second.
   */
  public Figure<Runway.HitRate> hitRate(Duration horizon) {
    return at().map(now -> new RunwayEstimator(minutes(now), 0).hitRate(horizon, now))
        .orElseGet(() -> Figure.unknown("needs 48 hours of history, has 0"));
  }

  private RunwayEstimator estimator(Instant now, Volume volume) {
    GrowthHistory minutes = minutes(now);
    double others = others(now.minus(GROWTH)).known().orElse(0.0);
    double most = others;
    if (RunwayEstimator.isRough(minutes)) {
      // What they did once does not say that they go on, and a mean of minutes hides how fast they
      // are if they have begun a few seconds ago: RecentGrowth says that.
      Instant half = now.minus(BURST.dividedBy(2));
      double before = others(now.minus(BURST), half).known().orElse(0.0);
      double lately = others(half).known().orElse(0.0);
      others = Math.min(others, Math.min(before, lately));
      most = others > 0 ? Math.max(before, lately) : 0;
    }
    Points burst = read(Measure.USED, now.minus(BURST), now.plus(SECOND), SECOND);
    return new RunwayEstimator(
        minutes, Math.max(0, others), Math.max(0, most), RecentGrowth.isSlowing(burst, volume));
  }

  private GrowthHistory minutes(Instant now) {
    return GrowthHistory.of(rings.read(Measure.WRITTEN, now.minus(HISTORY), now, MINUTE));
  }

  /** When the latest sample was taken. */
  public synchronized Optional<Instant> at() {
    return Optional.ofNullable(latest).map(VolumeSample::at);
  }
}
