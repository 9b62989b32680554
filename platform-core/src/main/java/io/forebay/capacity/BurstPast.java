/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.UsualRates.Value;
import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.capacity.series.Rings;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What is usual for a service, by the minutes of the last 24 hours, and what was usual before them.
 * Reading 1,440 minutes is too expensive to do every second, so the figures are computed once a
 * minute.
 */
final class BurstPast {

  private static final Duration DAY = Duration.ofHours(24);

  /** What was measured longer ago is not known any more. */
  private static final Duration KEPT = Duration.ofDays(7);

  private static final Duration USUAL = Duration.ofMinutes(5);

  /** What happened less often is not usual. */
  private static final int LEAST_BURSTS = 3;

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static final Duration FRESH = Duration.ofSeconds(10);

  private static final int LEAST_MINUTES = 2;
  private static final int FEW_MINUTES = 5;

  /** So many minutes with a backlog tell the capacity without an earlier measurement. */
  private static final int LEAST_SATURATED = 5;

  /** Minutes with more messages than this many times the present ones say nothing of them. */
  private static final double SIMILAR = 1.25;

  private @Nullable Instant backlogRead;
  private Optional<DatabaseRate.Saturated> best = Optional.empty();
  private List<DatabaseRate.Saturated> saturatedMinutes = List.of();
  private @Nullable Instant minutesRead;
  private Instant whole = Instant.EPOCH;
  private float[] sortedMinutes = new float[0];
  private Points minutes = new Points(0, 60, sortedMinutes);
  private @Nullable Instant costRead;
  private Points busyMinutes = new Points(0, 60, new float[0]);
  private Points performedMinutes = busyMinutes;
  private double typicalFor = Double.NaN;
  private @Nullable Value measured;
  private @Nullable Value usual;
  private @Nullable Value usualBurst;
  private @Nullable Value most;
  private Figure<Duration> typical = Figure.unknown("not computed");

  /** Continues with what an earlier process knew. */
  void remember(UsualRates rates) {
    measured = rates.capacity();
    usual = rates.intake();
    usualBurst = rates.burstSeconds();
    most = rates.most();
  }

  /** What a later process has to know. */
  UsualRates toRemember(Rings rings, Instant now, Instant since) {
    Optional<DatabaseRate.Saturated> seen = best(rings, now);
    seen.ifPresent(it -> typicalLength(rings, now, it.perSecond()));
    return new UsualRates(
        seen.map(it -> new Value(it.perSecond(), it.at())).orElse(null),
        usualMinute(rings, now, since).known().map(it -> new Value(it, now)).orElse(null),
        ifKept(usualBurst, now),
        ifKept(most, now));
  }

  /** Notes what was performed; only the most counts. */
  void see(double perSecond, Instant now) {
    Value before = ifKept(most, now);
    most = before == null || perSecond > before.value() ? new Value(perSecond, now) : before;
  }

  /** The most that was performed in 7 days, of what was noted. */
  OptionalDouble most(Instant now) {
    Value kept = ifKept(most, now);
    return kept == null ? OptionalDouble.empty() : OptionalDouble.of(kept.value());
  }

  private static @Nullable Value ifKept(@Nullable Value value, Instant now) {
    return value == null || value.at().plus(KEPT).isBefore(now) ? null : value;
  }

  /**
   * What the database can do by the backlogs of 24 hours, as of the last 10 s; if they had few
   * minutes, also by the earlier ones of 7 days.
   */
  Optional<DatabaseRate.Saturated> best(Rings rings, Instant now) {
    if (stale(backlogRead, now, FRESH)) {
      backlogRead = now;
      refresh(rings, now);
      List<DatabaseRate.Saturated> found =
          new ArrayList<>(saturated(rings, whole, now.plusSeconds(1)));
      found.addAll(saturatedMinutes);
      Value before = found.size() >= LEAST_SATURATED ? null : ifKept(measured, now);
      if (before != null) {
        found.add(new DatabaseRate.Saturated(before.at(), before.value()));
      }
      best = DatabaseRate.best(found);
      measured =
          best.filter(it -> before == null || it.perSecond() > before.value())
              .map(it -> new Value(it.perSecond(), it.at()))
              .orElse(before);
    }
    return best;
  }

  private static List<DatabaseRate.Saturated> saturated(Rings rings, Instant from, Instant to) {
    return DatabaseRate.saturated(rings.read(Measure.SATURATED, from, to, MINUTE));
  }

  /**
   * The median of the minutes of 24 hours in which messages arrived, messages per second; see
   * {@link BurstHeadroom#referenceRate}. A burst would be most of a few minutes, so that they count
   * by steps of 10 s. For 24 hours after a start, that of the process before.
   *
   * @param since the first sample
   */
  Figure<Double> usualMinute(Rings rings, Instant now, Instant since) {
    Value before = now.isBefore(since.plus(DAY)) ? ifKept(usual, now) : null;
    if (before != null) {
      return Figure.measured(before.value());
    }
    refresh(rings, now);
    if (sortedMinutes.length == 0) {
      return Figure.unknown("no message arrived in the last 24 hours");
    }
    float[] steps = sortedMinutes.length < FEW_MINUTES ? sortedSteps(rings, now) : sortedMinutes;
    float[] sorted = steps.length == 0 ? sortedMinutes : steps;
    return Figure.measured((double) sorted[(sorted.length - 1) / 2]);
  }

  private static float[] sortedSteps(Rings rings, Instant now) {
    Instant begin = now.minus(MINUTE.multipliedBy(2 * FEW_MINUTES));
    Points steps = rings.read(Measure.ACCEPTED, begin, now, FRESH);
    return sorted(steps, i -> steps.raw(i) > 0);
  }

  /** The time that {@link #usualMinute} is from; null if it was before the start. */
  @Nullable Duration usualOver(Instant now, Instant since) {
    Duration own = Duration.between(since, now);
    return own.compareTo(DAY) > 0 ? DAY : ifKept(usual, now) == null ? own : null;
  }

  /**
   * The time for which the workers are usually busy with a message: the lower quartile of the
   * minutes of 24 hours in which about as many messages were performed, or fewer; so what is slow
   * now does not become usual for 18 hours. With more messages, batches are larger and a message
   * takes less time. The minutes are read once a minute.
   *
   * @param perSecond the messages performed or accepted at present, whichever are more: a slow
   *     database performs fewer
   * @return worker seconds per message and partition; empty if there are fewer than two minutes
   */
  OptionalDouble usualCost(Rings rings, Instant now, double perSecond) {
    if (stale(costRead, now, MINUTE)) {
      costRead = now;
      Instant end = now.minus(MINUTE).truncatedTo(ChronoUnit.MINUTES);
      busyMinutes = rings.read(Measure.BUSY, end.minus(DAY), end, MINUTE);
      performedMinutes = rings.read(Measure.PERFORMED, end.minus(DAY), end, MINUTE);
    }
    double most = SIMILAR * perSecond;
    double[] costs =
        IntStream.range(0, Math.min(busyMinutes.size(), performedMinutes.size()))
            .filter(i -> performedMinutes.raw(i) > 0 && performedMinutes.raw(i) <= most)
            .mapToDouble(i -> busyMinutes.raw(i) / performedMinutes.raw(i))
            .filter(Double::isFinite)
            .sorted()
            .toArray();
    return costs.length < LEAST_MINUTES
        ? OptionalDouble.empty()
        : OptionalDouble.of(costs[costs.length / 4]);
  }

  /**
   * The 95th percentile of the lengths of stretches above a rate; if there were fewer than three,
   * that of an earlier day.
   */
  Figure<Duration> typicalLength(Rings rings, Instant now, double databaseRate) {
    refresh(rings, now);
    if (typicalFor != databaseRate) {
      typicalFor = databaseRate;
      typical = typicalLength(minutes, databaseRate);
      if (typical instanceof Figure.Measured<Duration>(Duration length)) {
        usualBurst = new Value(length.toSeconds(), now);
      } else {
        usualBurst = ifKept(usualBurst, now);
        if (usualBurst != null) {
          typical = Figure.measured(Duration.ofSeconds((long) usualBurst.value()));
        }
      }
    }
    return typical;
  }

  static Figure<Duration> typicalLength(Points minutes, double databaseRate) {
    int[] stretches = new int[minutes.size()];
    int count = 0;
    int length = 0;
    for (int i = 0; i <= minutes.size(); i++) {
      if (i < minutes.size() && minutes.raw(i) > databaseRate) {
        length++;
      } else if (length > 0) {
        stretches[count++] = length;
        length = 0;
      }
    }
    if (count == 0) {
      return Figure.estimated(USUAL, "no burst in 24 hours");
    }
    Arrays.sort(stretches, 0, count);
    Duration usual = Duration.ofMinutes(stretches[(int) Math.ceil(0.95 * count) - 1]);
    return count < LEAST_BURSTS
        ? Figure.estimated(
            usual, "%d of the %d bursts that it needs".formatted(count, LEAST_BURSTS))
        : Figure.measured(usual);
  }

  private void refresh(Rings rings, Instant now) {
    if (!stale(minutesRead, now, MINUTE)) {
      return;
    }
    minutesRead = now;
    typicalFor = Double.NaN;
    whole = now.truncatedTo(ChronoUnit.MINUTES); // a burst that has just begun has no length
    saturatedMinutes = saturated(rings, now.minus(DAY), whole);
    minutes = rings.read(Measure.ACCEPTED, now.minus(DAY), whole, MINUTE);
    sortedMinutes = sorted(minutes, this::counts);
  }

  /** The first of several minutes with messages may have been idle in part. */
  private boolean counts(int minute) {
    return hasMessages(minute) && (hasMessages(minute - 1) || !hasMessages(minute + 1));
  }

  private static float[] sorted(Points points, IntPredicate counts) {
    int[] taken = IntStream.range(0, points.size()).filter(counts).toArray();
    float[] found = new float[taken.length];
    for (int i = 0; i < found.length; i++) {
      found[i] = points.raw(taken[i]);
    }
    Arrays.sort(found);
    return found;
  }

  /** Not if that is unknown. */
  private boolean hasMessages(int minute) {
    return minute >= 0 && minute < minutes.size() && minutes.raw(minute) > 0;
  }

  private static boolean stale(@Nullable Instant read, Instant now, Duration fresh) {
    return read == null || now.isBefore(read) || Duration.between(read, now).compareTo(fresh) >= 0;
  }
}
