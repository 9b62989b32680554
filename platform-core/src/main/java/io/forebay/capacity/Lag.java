/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far a service is behind, and the trend.
 *
 * @param behind age of the oldest message not performed; zero if there is none, an estimate ("at
 *     least") if a partition could not be read
 * @param unperformed messages accepted and not performed
 * @param state in one word
 * @param growth change of the seconds behind per second: above zero it falls behind; -1 is the rate
 *     of catching up when no messages come in
 * @param clear until no message waits
 * @param late until the oldest message has waited longer than the limit
 * @param peak the longest wait of a message that waits now, if it catches up and {@code behind}
 *     still rises; else null
 */
public record Lag(
    Figure<Duration> behind,
    Figure<Long> unperformed,
    State state,
    Figure<Double> growth,
    Figure<Until> clear,
    Figure<Until> late,
    @Nullable Duration peak) {

  /** Below this many seconds per second, up or down, lag is steady. */
  static final double STEADY = 0.02;

  /** How long more and more messages must have waited before {@link #late} is computed. */
  static final Duration SUSTAINED = Duration.ofSeconds(60);

  /** How long they must have done so before it is called growing: one slow commit is no trend. */
  private static final Duration TREND = Duration.ofSeconds(2);

  private static final Duration LEAST_BEHIND = Duration.ofSeconds(1);
  private static final Duration MOST_KEEPING_UP = Duration.ofSeconds(5);
  private static final int LIMIT_PART = 20;

  /** A rise of less is not worth a forecast. */
  private static final Duration LEAST_RISE = Duration.ofSeconds(2);

  private static final double CLEARING = 1.02;

  /** Rates that differ by less may do so by chance. */
  private static final double CLEARLY_MORE = 1.5;

  /** In one word. */
  public enum State {
    PAUSED,
    GROWING,
    DRAINING,
    KEEPING_UP,
    STEADY,
    UNKNOWN
  }

  /**
   * The input of the computation.
   *
   * @param sample the latest
   * @param limit the longest wait allowed
   * @param accepted A, per second over 10 s, or over a batch if that takes longer
   * @param performed P, per second over 10 s, or from commit to commit
   * @param acceptedAtOldest A when the oldest message was accepted; the greater of A and P if that
   *     was before the history
   * @param trend whether more or fewer messages wait: GROWING, DRAINING or STEADY
   * @param growingFor how long the trend has been GROWING
   * @param wasBehind whether the oldest message has waited for long, and did so ever since
   */
  record Input(
      ServiceSample sample,
      Duration limit,
      Figure<Double> accepted,
      Figure<Double> performed,
      Figure<Double> acceptedAtOldest,
      State trend,
      Duration growingFor,
      boolean wasBehind) {

    /** So that it does not keep up and fall behind in turn. */
    private boolean isLittle(Duration age) {
      return !wasBehind && Lag.isLittle(age, limit);
    }
  }

  /**
   * <pre>
   * S       = now - append time of the oldest message not performed, 0 if there is none
   * growth  = 1 - P / A(when that message was accepted)
   * late    = (limit - S) / growth     if growth &gt; 0.02, once more and more messages have waited
   *                                    for 60 s, and it does not keep up
   *         = limit - S                while it is paused and messages wait
   * clear   = L / (P - A)              if P &gt; 1.02 A, or 1.5 A while more and more messages wait
   * </pre>
   *
   * The head of the queue advances by P messages per second through messages that came in at rate
   * A'. That is P / A' seconds of append time per second, while the clock advances by one second.
   */
  static Lag of(Input input) {
    ServiceSample sample = input.sample();
    Figure<Long> waiting = sample.unperformed();
    Figure<Duration> behind = behind(sample);
    Figure<Double> growth = behind.then(age -> age.isZero() ? Figure.measured(0.0) : growth(input));
    return new Lag(
        behind,
        waiting,
        state(input, behind),
        growth,
        clear(input, waiting),
        late(input, behind, growth),
        null);
  }

  /** How far it is behind is unknown. */
  static Lag unknown(String reason) {
    return new Lag(
        Figure.unknown(reason),
        Figure.unknown(reason),
        State.UNKNOWN,
        Figure.unknown(reason),
        Figure.unknown(reason),
        Figure.unknown(reason),
        null);
  }

  /** The age of the oldest message not performed; see {@link #behind()}. */
  public static Figure<Duration> behind(ServiceSample sample) {
    boolean nothingWaits = sample.unperformed().known().filter(count -> count == 0).isPresent();
    if (nothingWaits) {
      return Figure.measured(Duration.ZERO);
    }
    int unread = sample.unreadPartitions();
    if (sample.oldest().isEmpty()) {
      return unread == 0
          ? Figure.measured(Duration.ZERO)
          : Figure.unknown(
              "%d of %d partitions could not be read, and no messages wait in the others"
                  .formatted(unread, sample.partitions()));
    }
    Duration age = Duration.between(sample.oldest().get(), sample.at());
    Duration shown = age.isNegative() ? Duration.ZERO : age;
    return unread == 0
        ? Figure.measured(shown)
        : Figure.estimated(
            shown,
            "lower bound: %d of %d partitions could not be read"
                .formatted(unread, sample.partitions()));
  }

  private static Figure<Double> growth(Input input) {
    return input
        .performed()
        .then(performed ->
            performed <= 0
                ? Figure.measured(1.0)
                : input
                    .acceptedAtOldest()
                    .then(then ->
                        then > 0
                            ? Figure.measured(1 - performed / then)
                            : Figure.unknown(
                                "no messages were accepted when the oldest one arrived")));
  }

  /** The same without a forecast of when it catches up. */
  Lag withoutEnd(String why) {
    return with(
        state,
        clear.then(it -> it instanceof Until.Passed ? Figure.measured(it) : Figure.unknown(why)),
        late,
        null);
  }

  private Lag with(
      State now, Figure<Until> cleared, Figure<Until> passesLimit, @Nullable Duration highest) {
    return new Lag(behind, unperformed, now, growth, cleared, passesLimit, highest);
  }

  /** The same in a burst that makes it late then. */
  Lag inBurst(Until then) {
    return with(
        State.GROWING,
        clear.map(_ -> new Until.Never("not at this rate")),
        late.map(it -> it.sooner(then)).or(Figure.measured(then)),
        null);
  }

  /**
   * The same while it catches up, by the messages that wait.
   *
   * @param highest the longest wait of one of them
   */
  Lag clearing(Until then, Duration highest) {
    boolean rises =
        behind.known().filter(it -> it.plus(LEAST_RISE).compareTo(highest) < 0).isPresent();
    return with(state, clear, Figure.measured(then), rises ? highest : null);
  }

  /** Whether the number of waiting messages is decreasing. */
  public boolean catchesUp() {
    return state == State.DRAINING;
  }

  /**
   * Whether so little lag is no lag: random differences between the rates exceed {@link #STEADY}
   * then. Less than a twentieth of the limit, at least 1 s, at most 5 s.
   */
  private static boolean isLittle(Duration behind, Duration limit) {
    Duration part = limit.dividedBy(LIMIT_PART);
    Duration mark =
        part.compareTo(LEAST_BEHIND) < 0
            ? LEAST_BEHIND
            : part.compareTo(MOST_KEEPING_UP) > 0 ? MOST_KEEPING_UP : part;
    return behind.compareTo(mark) < 0;
  }

  private static State state(Input input, Figure<Duration> behind) {
    if (input.sample().paused()) {
      return State.PAUSED;
    }
    if (behind.known().isEmpty()) {
      return State.UNKNOWN;
    }
    if (input.isLittle(behind.known().get())) {
      return State.KEEPING_UP;
    }
    if (input.trend() == State.GROWING && performsMore(input)) {
      return State.DRAINING;
    }
    boolean isShort = input.growingFor().compareTo(TREND) < 0;
    return input.trend() == State.GROWING && isShort ? State.STEADY : input.trend();
  }

  /** The rates tell the end of a burst before the number of waiting messages does. */
  private static boolean performsMore(Input input) {
    return input
        .accepted()
        .with(input.performed(), (accepted, performed) -> performed > CLEARLY_MORE * accepted)
        .known()
        .orElse(false);
  }

  private static Figure<Until> clear(Input input, Figure<Long> waiting) {
    return waiting.then(count ->
        count == 0
            ? Figure.measured(new Until.Passed())
            : input
                .accepted()
                .with(
                    input.performed(),
                    (accepted, performed) ->
                        (input.trend() != State.GROWING || performsMore(input))
                                && performed > CLEARING * accepted
                            ? Until.ofSeconds(count / (performed - accepted), "not at this rate")
                            : new Until.Never("not at this rate")));
  }

  private static Figure<Until> late(Input input, Figure<Duration> behind, Figure<Double> growth) {
    return behind.then(age -> {
      if (age.compareTo(input.limit()) >= 0) {
        return Figure.measured(new Until.Passed());
      }
      double left = seconds(input.limit().minus(age));
      if (input.sample().paused()) {
        return Figure.measured(
            age.isZero()
                ? new Until.Never("no message waits")
                : Until.ofSeconds(left, "it falls behind too slowly to matter"));
      }
      return growth.map(rising ->
          rising > STEADY && sustained(input) && !input.isLittle(age)
              ? Until.ofSeconds(left / rising, "it falls behind too slowly to matter")
              : new Until.Never("it does not fall behind"));
    });
  }

  /**
   * This lag if nothing is performed, and nothing will be: the oldest message is late in limit - S,
   * whatever comes in. Needs no rate.
   *
   * @param limit the longest wait allowed
   */
  public Lag stopped(Duration limit) {
    return with(
        state == State.PAUSED || unperformed.known().filter(it -> it > 0).isEmpty()
            ? state
            : State.GROWING,
        unperformed.map(count ->
            count == 0 ? new Until.Passed() : new Until.Never("nothing is performed at present")),
        behind.map(age ->
            age.isZero()
                ? new Until.Never("nothing waits")
                : Until.ofSeconds(seconds(limit.minus(age)), "the limit is too long")),
        null);
  }

  /**
   * The time until the messages that wait now are performed. While it keeps up, that is now,
   * although {@link #clear} compares rates that differ by chance.
   */
  public Figure<Until> performed() {
    return state == State.KEEPING_UP ? Figure.measured(new Until.Passed()) : clear;
  }

  private static boolean sustained(Input input) {
    return input.growingFor().compareTo(SUSTAINED) >= 0;
  }

  public static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
