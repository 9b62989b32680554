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
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;
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

  /** Growth of others below this is none, such as what the file system allocates later. */
  private static final long LEAST_OTHERS = 1 << 20;

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
   * The growth of a volume in bytes per second, the mean of up to 24 hours.
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

  /** The growth of the volume. */
  public Growth growth() {
    Figure<Double> written = perSecond(Measure.WRITTEN);
    Figure<Double> deleted = perSecond(Measure.DELETED);
    Figure<Double> database = grownIn(DAY, Measure.DATABASE);
    Figure<Double> others = othersIn(DAY);
    Figure<Double> net =
        written
            .with(deleted, (more, less) -> more - less)
            .with(database, Double::sum)
            .with(others, Double::sum);
    return new Growth(written, deleted, database, others, net);
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

  /** When the volume will be full; see {@link RunwayForecast}. Takes a few milliseconds. */
  public synchronized Figure<Runway> runway(Outlook outlook) {
    return RunwayForecast.of(this, outlook).map(RunwayForecast::runway);
  }

  /** When the volume will be full in this situation, however short the history is. */
  public synchronized Figure<Until> full(Outlook outlook) {
    return RunwayForecast.of(this, outlook).map(RunwayForecast::until);
  }

  /**
   * Bytes per second by which others than queues, also the database, have grown the volume; empty
   * unless others than the database have written in each third of the time.
   */
  synchronized OptionalDouble othersWithoutBreak(RunwayForecast.Thirds of, Instant now) {
    Duration time = of.of();
    Instant to = now.truncatedTo(ChronoUnit.SECONDS);
    Instant from = to.minus(time);
    if (first == null || first.at().isAfter(from)) {
      return OptionalDouble.empty();
    }
    Points all = read(Measure.OTHERS, from, to.plus(SECOND), SECOND);
    Points database = read(Measure.DATABASE, from, to.plus(SECOND), SECOND);
    double[] bytes = new double[4];
    for (int third = 0; third < bytes.length; third++) {
      int at = third * (int) time.toSeconds() / 3;
      bytes[third] = latest(all, at) - latest(database, at);
    }
    double grown = latest(all, (int) time.toSeconds()) - latest(all, 0);
    boolean isWithoutBreak = bytes[3] - bytes[0] >= LEAST_OTHERS;
    for (int third = 0; third < 3; third++) {
      isWithoutBreak &= bytes[third + 1] - bytes[third] >= of.leastPart() * grown / 3;
    }
    return isWithoutBreak
        ? OptionalDouble.of(Math.max(0, grown) / time.toSeconds())
        : OptionalDouble.empty();
  }

  /** The value of a second, or of the second before if that one has no sample. */
  private static double latest(Points points, int at) {
    return Float.isNaN(points.raw(at)) && at > 0 ? points.raw(at - 1) : points.raw(at);
  }

  /** The time since the first sample of what queues write. */
  synchronized Duration known() {
    return latest == null || since == null ? Duration.ZERO : Duration.between(since, latest.at());
  }

  /** Bytes per second that queues and others write. */
  record Rate(double written, double others) {

    double sum() {
      return written + others;
    }
  }

  synchronized Rate mean(Instant from, Instant to) {
    boolean bySecond = Duration.between(from, to).compareTo(BY_SECOND) <= 0;
    double written = rings.read(Measure.WRITTEN, from, to, bySecond ? SECOND : MINUTE).mean();
    return new Rate(
        Double.isNaN(written) ? 0 : written,
        Math.max(0, grown(Measure.OTHERS, from, to).known().orElse(0.0)));
  }

  /**
   * The part of others in the growth of the last 2 minutes, 0 to 1: of what was written to the
   * volume, the part that is neither in files of queues nor in Forebay's own database. If nothing
   * was written in that time, such as to a full volume, that of a longer one.
   */
  public Figure<Double> othersShare() {
    return Stream.of(RECENTLY, BY_SECOND, DAY)
        .flatMap(time -> othersShare(time).stream())
        .findFirst()
        .map(Figure::measured)
        .orElseGet(() -> Figure.unknown("nothing was written to the volume in 24 hours"));
  }

  private Optional<Double> othersShare(Duration time) {
    Instant to = at().map(it -> it.plusSeconds(1)).orElse(Instant.EPOCH);
    double written = mean(to.minus(time), to).written();
    double database = Math.max(0, Figure.number(grownIn(time, Measure.DATABASE)));
    double others = Math.max(0, Figure.number(othersIn(time)));
    double all = Math.max(0, written) + database + others;
    return all > 0 ? Optional.of(others / all) : Optional.empty();
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
