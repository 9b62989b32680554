/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * How fast a service performs messages while messages wait: measured from commit to commit, because
 * a batch counts only when it is committed, and may take much longer than the time between two
 * samples. A time in which it is paused, or waits for its database, does not count. Also finds the
 * stretches that show what the database can do. Memory is allocated once; knows nothing of the time
 * before a restart. Not thread-safe.
 */
final class Pace {

  /** The samples that are kept; more than the longest rate needs. */
  private static final int SAMPLES = 180;

  private static final int BATCHES = 3;

  /** So few messages show nothing. */
  private static final int FEW = 20;

  private static final long LEAST_MILLIS = 10_000;
  private static final long MINUTE_MILLIS = 60_000;
  private static final long SHORT_MILLIS = 2_000;
  private static final long GAP_MILLIS = 10_000;

  /** A batch that takes longer than this many times the longest one before is unlike them. */
  private static final int TIMES = 2;

  /** If no commit comes for so long, the rate is zero, unless batches usually take that long. */
  private static final long STUCK_MILLIS = 60_000;

  private static final long PATIENCE_MILLIS = 3_000;

  /** Workers that are less busy while messages wait, and commit nothing, wait for something. */
  private static final double WAITS = 0.01;

  /** A second in which the workers were less busy ends a stretch. */
  private static final double BREAK = 0.5;

  private final long[] millis = new long[SAMPLES];
  private final long[] performed = new long[SAMPLES];
  private final long[] failed = new long[SAMPLES];

  /** Whether messages waited since the sample before, and it was able to perform them. */
  private final boolean[] working = new boolean[SAMPLES];

  /** Whether no message waited. */
  private final boolean[] idle = new boolean[SAMPLES];

  /** The busy share since the sample before; 0 if it is unknown. */
  private final double[] busy = new double[SAMPLES];

  /** {@link ServiceSample#lost}. */
  private final double[] lost = new double[SAMPLES];

  /** Messages that wait for so long without being performed show a break, such as an outage. */
  private static final long BREAK_MILLIS = 3_000;

  private int size;

  /** The latest sample outside a break, and the latest within one; its length. */
  private long workedAt;

  private long brokenAt = Long.MIN_VALUE;
  private long broken;

  /** Whether the latest break was a pause: no batch was interrupted. */
  private boolean isAfterPause;

  /** Where the next sample goes. */
  private int next;

  /** Messages that waited at the latest commit; -1 if that is unknown. */
  private long waitingAtCommit = -1;

  private @Nullable Stretch stretch;
  private OptionalDouble saturated = OptionalDouble.empty();

  /** A time in which messages waited throughout, from one commit to another. */
  private static final class Stretch {
    final long millis;
    final long performed;
    int commits;
    long largest;
    double busy;
    int samples;

    Stretch(long millis, long performed) {
      this.millis = millis;
      this.performed = performed;
    }

    boolean isWhole(long now) {
      return commits >= BATCHES && now - millis >= LEAST_MILLIS;
    }

    /** Whether it shows a rate: the workers were busy, and no commit has most of the messages. */
    boolean shows(long count) {
      return 2 * largest <= count - performed && busy >= DatabaseRate.SATURATED * samples;
    }

    double perSecond(long now, long count) {
      return 1000.0 * (count - performed) / (now - millis);
    }
  }

  /**
   * Adds a sample, later than those before.
   *
   * @return messages performed per second in the 10 s or more that end with this sample, if they
   *     show what the database can do: more messages waited at each commit than the next one
   *     performed, and the workers were busy. Such times do not overlap
   */
  OptionalDouble add(ServiceSample sample) {
    long now = sample.at().toEpochMilli();
    if (sample.performed().isEmpty() || sample.accepted().isEmpty()) {
      forget();
      return OptionalDouble.empty();
    }
    long count = sample.performed().getAsLong();
    long waiting = Math.max(0, sample.accepted().getAsLong() - count);
    if (size > 0 && (isGap(now) || count < performed[at(0)])) {
      forget();
    }
    long more = size == 0 ? 0 : count - performed[at(0)];
    boolean waits = sample.busy().orElse(1) < WAITS;
    boolean works = !sample.paused() && (more > 0 || (waiting > 0 && !waits));
    noteBreak(now, waiting > 0 && !works);
    isAfterPause = sample.paused() || (isAfterPause && brokenAt != now);
    millis[next] = now;
    performed[next] = count;
    failed[next] = sample.failed();
    working[next] = size > 0 && works;
    idle[next] = waiting == 0;
    busy[next] = sample.busy().orElse(0);
    lost[next] = sample.lost();
    next = (next + 1) % SAMPLES;
    size = Math.min(size + 1, SAMPLES);
    return learn(sample, now, count, waiting, more);
  }

  private void noteBreak(long now, boolean stands) {
    if (!stands || size == 0) {
      workedAt = now;
    } else if (now - workedAt >= BREAK_MILLIS) {
      brokenAt = now;
      broken = now - workedAt;
    }
  }

  private boolean isGap(long now) {
    long step = now - millis[at(0)];
    return step <= 0 || step > GAP_MILLIS;
  }

  private void forget() {
    size = 0;
    brokenAt = Long.MIN_VALUE;
    idle();
  }

  private void idle() {
    waitingAtCommit = -1;
    stretch = null;
    saturated = OptionalDouble.empty();
  }

  private OptionalDouble learn(
      ServiceSample sample, long now, long count, long waiting, long more) {
    if (sample.paused() || waiting == 0 || sample.busy().orElse(0) < BREAK) {
      idle();
      return OptionalDouble.empty();
    }
    Stretch current = stretch;
    if (current != null) {
      current.busy += sample.busy().getAsDouble();
      current.samples++;
    }
    if (more == 0) {
      return OptionalDouble.empty();
    }
    boolean isLeft = waitingAtCommit > more;
    waitingAtCommit = waiting;
    if (current == null || !isLeft) {
      saturated = OptionalDouble.empty();
      stretch = new Stretch(now, count);
      return OptionalDouble.empty();
    }
    current.commits++;
    current.largest = Math.max(current.largest, more);
    if (!current.isWhole(now)) {
      return OptionalDouble.empty();
    }
    saturated =
        current.shows(count)
            ? OptionalDouble.of(current.perSecond(now, count))
            : OptionalDouble.empty();
    stretch = new Stretch(now, count);
    return saturated;
  }

  /**
   * The latest result of {@link #add} if messages have waited ever since, so that the database is
   * the limit at present.
   */
  OptionalDouble saturatedNow() {
    return saturated;
  }

  /**
   * What was performed in a time that ends now.
   *
   * @param busy the mean busy share of the workers in it
   */
  record Seen(double perSecond, double busy) {}

  /**
   * What the database can do at least, however short the time: what was performed since nothing was
   * waiting or work began, but over 2 s at least, because samples are not taken to the millisecond;
   * or over 10 s or more between two commits. Empty if nothing was committed with the latest
   * sample, or from an outage on, in which a batch may have been performed. Messages without an
   * effect do not count: those that have expired take no time.
   */
  Optional<Seen> seen() {
    if (!isCommit(0)) {
      return Optional.empty();
    }
    int from = 0;
    double worked = 0;
    do {
      worked += busy[at(from)];
      from++;
    } while (from < size && !isBegin(from));
    boolean isUnclear = from == size || (!isAfterPause && millis[at(from)] <= brokenAt);
    return isUnclear || committed(from, 0) < FEW
        ? Optional.empty()
        : Optional.of(new Seen(effectivePerSecond(from, 0), worked / from));
  }

  private boolean isBegin(int back) {
    long length = millis[at(0)] - millis[at(back)];
    boolean isFirst = back == size - 1; // what came before is not known
    return (length >= SHORT_MILLIS && (idle[at(back)] || (!working[at(back)] && !isFirst)))
        || (length >= LEAST_MILLIS && isCommit(back));
  }

  /**
   * Messages performed per second between two commits that are a minute or more apart, the later
   * one in the last minute, as in {@link #seen}. Whatever came between them, the database can do
   * this at least.
   */
  OptionalDouble inLastMinute() {
    int last = latestCommit();
    if (!isCommit(last) || millis[at(0)] - millis[at(last)] > MINUTE_MILLIS) {
      return OptionalDouble.empty();
    }
    int from = last + 1;
    while (from < size - 1
        && !(isCommit(from) && millis[at(last)] - millis[at(from)] >= MINUTE_MILLIS)) {
      from++;
    }
    return isCommit(from)
        ? OptionalDouble.of(effectivePerSecond(from, last))
        : OptionalDouble.empty();
  }

  /**
   * The share of their busy time that the workers lost to statements that fail, in the latest time
   * of a length, or in that of two batches if that is longer: a try counts when it ends.
   */
  double lostShare(Duration over) {
    int from = back(Math.max(over.toMillis(), 2 * window().map(Window::longestMillis).orElse(0L)));
    double all = 0;
    double worked = 0;
    for (int i = 0; i < from; i++) {
      all += lost[at(i)];
      worked += busy[at(i)];
    }
    return worked > 0 ? Math.min(1, all / worked) : 0;
  }

  /** Whether messages wait and are performed, as far as the latest sample shows. */
  boolean isWorking() {
    return size > 0 && working[at(0)];
  }

  /** Whether the latest sample has messages that the one before had not. */
  boolean hasCommitted() {
    return isCommit(0);
  }

  /**
   * Whether it has performed too little since a break to know a rate: the first batch may be that
   * which the break interrupted, and small, and the next one has all that came meanwhile. What came
   * while nothing was performed takes no longer than that time, unless something is wrong.
   */
  boolean isReturning() {
    return hasFewer(BATCHES);
  }

  /** Whether its rate is that of the first seconds since a break, in which it still gets faster. */
  boolean isStarting() {
    return hasFewer(BATCHES + 2);
  }

  /** Whether there were fewer commits since a break, and for less than 10 s. */
  private boolean hasFewer(int least) {
    if (!isWorking()
        || brokenAt == Long.MIN_VALUE
        || millis[at(0)] - brokenAt > Math.max(STUCK_MILLIS, broken)) {
      return false;
    }
    int commits = 0;
    long last = brokenAt;
    for (int i = 0; i < size && millis[at(i)] > brokenAt; i++) {
      if (!working[at(i)]) {
        return false;
      }
      if (isCommit(i)) {
        commits++;
        last = Math.max(last, millis[at(i)]);
      }
    }
    return commits < least && last - brokenAt < LEAST_MILLIS;
  }

  /**
   * A part of the samples, counted back from the latest.
   *
   * @param from a commit, or where work began
   * @param last the latest commit
   * @param commits in it
   * @param longestMillis the longest time between two of its commits
   * @param largest the most messages of a commit
   */
  record Window(int from, int last, int commits, long longestMillis, long largest) {}

  /**
   * The last commits without a break of the work: over at least 10 s, three commits, and three
   * times the longest time between two of them, or since the work began. Empty if it has just
   * begun.
   */
  Optional<Window> window() {
    int last = 0;
    while (last < size - 1 && working[at(last)] && !isCommit(last)) {
      last++;
    }
    if (size == 0 || !working[at(last)] || !isCommit(last)) {
      return Optional.empty();
    }
    int from = last;
    int commits = 0;
    long longest = 0;
    long largest = committed(last);
    long previous = millis[at(last)];
    for (int i = last + 1; i < size; i++) {
      boolean isBegin = !working[at(i)];
      if (isBegin || isCommit(i)) {
        longest = Math.max(longest, previous - millis[at(i)]);
        previous = millis[at(i)];
        from = i;
        commits++;
      }
      if (isBegin || isEnough(millis[at(last)] - previous, commits, longest)) {
        break;
      }
      largest = Math.max(largest, committed(i));
    }
    return from == last
        ? Optional.empty()
        : Optional.of(new Window(from, last, commits, longest, largest));
  }

  /**
   * Messages performed per second in the {@link #window}. A running batch is not counted until it
   * has taken much longer than those before; then the rate is unknown, and after a minute it is
   * zero. It is unknown in the first batch after a time without any.
   *
   * @return empty if the mean of the last seconds says as much: no messages wait, it is paused, or
   *     it has just begun
   */
  Optional<Figure<Double>> perSecond() {
    if (!isWorking()) {
      return Optional.empty();
    }
    if (isReturning()) {
      int last = latestCommit();
      boolean hasBegun = isCommit(last) && millis[at(last)] > brokenAt;
      long running = millis[at(0)] - (hasBegun ? millis[at(last)] : brokenAt);
      return Optional.of(
          hasBegun && running <= PATIENCE_MILLIS
              ? Figure.unknown("it has just begun to perform again")
              : unknown(hasBegun ? "current" : "first", running));
    }
    Optional<Window> seen = window();
    if (seen.isEmpty()) {
      return sinceItBegan();
    }
    Window window = seen.get();
    int from = window.from();
    int last = window.last();
    while (from < size - 1
        && millis[at(from)] > brokenAt
        && millis[at(last)] - millis[at(from)] < LEAST_MILLIS) {
      from++;
    }
    if (millis[at(from)] <= brokenAt) {
      from = afterFirstCommit(from, last);
    }
    long running = millis[at(0)] - millis[at(last)];
    long patience =
        Math.max(
            window.commits() >= BATCHES ? PATIENCE_MILLIS : LEAST_MILLIS,
            TIMES * window.longestMillis());
    return Optional.of(
        running <= patience
            ? Figure.measured(perSecond(from, last))
            : running(running, window.longestMillis()));
  }

  /** The time until the first commit after a break is partly that of the break. */
  private int afterFirstCommit(int from, int last) {
    int first = from;
    while (first > last && !isCommit(first)) {
      first--;
    }
    return first > last ? first : from;
  }

  /** In the first batch. */
  private Optional<Figure<Double>> sinceItBegan() {
    int begin = 0;
    while (begin < size - 1 && working[at(begin)] && !isCommit(begin)) {
      begin++;
    }
    if (working[at(begin)] && isCommit(begin)) {
      return Optional.empty();
    }
    long running = millis[at(0)] - millis[at(begin)];
    return running <= LEAST_MILLIS && committed(back(LEAST_MILLIS), 0) > 0
        ? Optional.empty()
        : Optional.of(running(running, 0));
  }

  /** The latest sample that is so much older than the last one, or the first of all. */
  private int back(long length) {
    int before = 0;
    while (before < size - 1 && millis[at(0)] - millis[at(before)] < length) {
      before++;
    }
    return before;
  }

  private int latestCommit() {
    int last = 0;
    while (last < size - 1 && !isCommit(last)) {
      last++;
    }
    return last;
  }

  private double effectivePerSecond(int from, int to) {
    long effective = committed(from, to) - (failed[at(to)] - failed[at(from)]);
    return 1000.0 * Math.max(0, effective) / (millis[at(to)] - millis[at(from)]);
  }

  private double perSecond(int from, int to) {
    return 1000.0 * committed(from, to) / (millis[at(to)] - millis[at(from)]);
  }

  private long committed(int from, int to) {
    return performed[at(to)] - performed[at(from)];
  }

  private long committed(int back) {
    return back < size - 1 ? committed(back + 1, back) : 0;
  }

  private static boolean isEnough(long length, int commits, long longest) {
    return length >= LEAST_MILLIS && commits >= BATCHES && length >= BATCHES * longest;
  }

  private static Figure<Double> running(long running, long longest) {
    return running > Math.max(STUCK_MILLIS, 2 * TIMES * longest)
        ? Figure.measured(0.0)
        : unknown(longest == 0 ? "first" : "current", running);
  }

  private static Figure<Double> unknown(String which, long running) {
    return Figure.unknown(
        "the %s batch has run for %d s".formatted(which, Duration.ofMillis(running).toSeconds()));
  }

  private boolean isCommit(int back) {
    return back < size - 1 && performed[at(back)] > performed[at(back + 1)];
  }

  /** The slot of a sample, counted back from the latest. */
  private int at(int back) {
    return Math.floorMod(next - 1 - back, SAMPLES);
  }
}
