/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Measures a load at rising rates and finds the rate it sustains.
 *
 * <p>A search first raises the rate, in short runs that do not count, until the system falls
 * behind. It then measures rates up to the highest one that was reached, and halves the intervals
 * in which the system stops to keep up and in which its latencies stop to be stable.
 */
public final class Sweep {

  private static final long FIRST_RATE = 1_000;
  private static final long LAST_RATE = 1L << 30;
  private static final int RUNS_TO_RISE = 5;
  private static final Duration LEAST = Duration.ofMillis(100);
  private static final int LOWEST_RATES = 3;

  /** A quality counts if two of three runs at a rate have it. */
  private static final int MAJORITY = 2;

  /** Rates closer than this are not told apart. */
  private static final double CLOSE = 1.04;

  private final Load load;
  private final Plan plan;
  private final Consumer<Point> progress;
  private final List<Point> points = new ArrayList<>();
  private double highest;

  /**
   * @param progress gets each rate when it is measured, also the short runs
   */
  public Sweep(Load load, Plan plan, Consumer<Point> progress) {
    this.load = load;
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Runs the load at each rate; once.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public Verdict run() throws InterruptedException {
    findHighest();
    for (int percent : plan.percents()) {
      measure(rounded(highest * percent / 100));
    }
    riseUntilBehind();
    long typical = typical();
    Predicate<Point> stable = point -> point.isStable(typical);
    bisect(Point::keepsUp);
    OptionalLong sustainable = highestConfirmed(stable);
    points.sort(Comparator.comparingLong(Point::perSecond));
    return new Verdict(
        typical,
        Math.round(highest),
        highest(Point::keepsUp).orElse(0),
        sustainable.orElse(0),
        List.copyOf(points));
  }

  /** Raises the rate until the system falls behind; if it does at once, lowers it until not. */
  private void findHighest() throws InterruptedException {
    Duration brief = plan.length().dividedBy(RUNS_TO_RISE);
    brief = brief.compareTo(LEAST) < 0 ? LEAST : brief;
    offer(FIRST_RATE, brief);
    long rate = FIRST_RATE;
    boolean reached = isReached(offer(rate, brief));
    if (reached) {
      while (reached && rate < LAST_RATE / plan.growth()) {
        rate *= plan.growth();
        reached = isReached(offer(rate, brief));
      }
    } else {
      while (!reached && rate > 1) {
        rate = Math.max(1, rate / plan.growth());
        reached = isReached(offer(rate, brief));
      }
    }
  }

  /** A short run is easily disturbed, so it need not have kept up. */
  private static boolean isReached(Point point) {
    return point.keepsUp() || point.completedPerSecond() > 0.75 * point.perSecond();
  }

  /** The short runs may have found too low a rate. */
  private void riseUntilBehind() throws InterruptedException {
    for (int i = 0; i < RUNS_TO_RISE && points.getLast().keepsUp(); i++) {
      measure(rounded(points.getLast().perSecond() * 1.25));
    }
  }

  /** The highest rate that has a quality; in two of three runs, if the plan confirms. */
  private OptionalLong highestConfirmed(Predicate<Point> quality) throws InterruptedException {
    for (long rate : points.stream().map(Point::perSecond).sorted().distinct().toList()) {
      repeatWithout(quality, rate);
      if (!has(rate, quality)) {
        break;
      }
    }
    bisect(quality);
    OptionalLong highest = highest(quality);
    while (highest.isPresent() && isUndecided(highest.getAsLong(), quality)) {
      measure(highest.getAsLong());
      repeatWithout(quality, highest.getAsLong());
      highest = highest(quality);
    }
    return highest;
  }

  /** Measures a rate again if it has not a quality: a single run is easily disturbed. */
  private void repeatWithout(Predicate<Point> quality, long rate) throws InterruptedException {
    while (!has(rate, quality) && isUndecided(rate, quality)) {
      measure(rate);
    }
  }

  /** Halves the interval above the highest rate with a quality. */
  private void bisect(Predicate<Point> quality) throws InterruptedException {
    for (int i = 0; i < plan.bisections(); i++) {
      OptionalLong low = highest(quality);
      if (low.isEmpty()) {
        return;
      }
      OptionalLong high =
          points.stream().mapToLong(Point::perSecond).filter(it -> it > low.getAsLong()).min();
      if (high.isEmpty() || high.getAsLong() < low.getAsLong() * CLOSE * CLOSE) {
        return;
      }
      long middle = rounded(Math.sqrt((double) low.getAsLong() * high.getAsLong()));
      measure(middle);
      repeatWithout(quality, middle);
    }
  }

  private OptionalLong highest(Predicate<Point> quality) {
    return points.stream().mapToLong(Point::perSecond).filter(rate -> has(rate, quality)).max();
  }

  /** Whether a rate had a quality in more than half of the runs at it. */
  private boolean has(long rate, Predicate<Point> quality) {
    return votes(rate, quality) > votes(rate, quality.negate());
  }

  /** Whether the plan asks for another run, which can change what two of three runs say. */
  private boolean isUndecided(long rate, Predicate<Point> quality) {
    return plan.confirming()
        && votes(rate, quality) < MAJORITY
        && votes(rate, quality.negate()) < MAJORITY;
  }

  private long votes(long rate, Predicate<Point> quality) {
    return points.stream().filter(it -> it.perSecond() == rate).filter(quality).count();
  }

  private long typical() {
    List<Point> lowest =
        points.stream()
            .filter(Point::keepsUp)
            .sorted(Comparator.comparingLong(Point::perSecond))
            .limit(LOWEST_RATES)
            .sorted(Comparator.comparingLong(Point::typical))
            .toList();
    return lowest.isEmpty() ? 0 : lowest.get(lowest.size() / 2).typical();
  }

  private void measure(long rate) throws InterruptedException {
    points.add(offer(rate, plan.length()));
  }

  private Point offer(long rate, Duration length) throws InterruptedException {
    Point point = Point.of(rate, load.run(rate, length));
    highest = Math.max(highest, point.completedPerSecond());
    progress.accept(point);
    return point;
  }

  /** To two digits, at least 1. */
  private static long rounded(double rate) {
    double unit = Math.pow(10, Math.floor(Math.log10(Math.max(1, rate))) - 1);
    return Math.max(1, Math.round(Math.round(rate / unit) * unit));
  }
}
