/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.DatabaseRate;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.operations.ServiceView;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A service at one second: all figures that readers show, computed once from its history.
 *
 * @param limit the longest wait allowed
 * @param accepted messages accepted per second
 * @param performed messages performed per second
 * @param can messages per second that the database can perform; unknown if not measured
 * @param canAtLeast what it can perform at least, if {@code can} is unknown; else null
 * @param slowerNow what the database performs at present, if that is much less; else null
 * @param burst the headroom at the reference rate, or why there is none
 * @param usualOver the time that the usual intake is from, up to 24 hours; null if it was before
 *     the start
 * @param typicalBurst how long bursts usually last
 * @param outage during which it waits for its database, or after which it performs the first batch;
 *     null if there is none
 * @param loss the time until the oldest waiting message is deleted
 * @param lossShare that time divided by the retention time
 */
public record ServiceReport(
    ServiceView view,
    Optional<DesiredState> desired,
    Duration limit,
    Lag lag,
    Figure<Double> accepted,
    Figure<Double> performed,
    Figure<Double> can,
    @Nullable Double canAtLeast,
    DatabaseRate.@Nullable Slower slowerNow,
    Figure<Double> busy,
    Figure<BurstHeadroom> burst,
    @Nullable Duration usualOver,
    Figure<Duration> typicalBurst,
    @Nullable Outage outage,
    RecentFailures failures,
    Figure<Until> loss,
    Figure<Double> lossShare) {

  /** The state of a service in one word. */
  public enum State {
    /** It stopped with an error, or another instance has taken over. */
    FAILED,
    /** Its in-queue accepts no messages, or its out-queue no results. */
    REFUSING,
    /** It waits for something, such as its database. */
    WAITING,
    /** It waits for a lock of its database. */
    WAITING_FOR_LOCK,
    PAUSED,
    STARTING,
    /** A stop performed all messages. */
    DRAINED,
    /** It catches up. */
    DRAINING,
    /** Too few messages have been performed since a break to know a rate. */
    RESUMING,
    GROWING,
    STEADY,
    KEEPING_UP,
    UNKNOWN
  }

  private static final String FULL = "the disk is full: no messages are accepted";
  private static final String AWAY = "the database is not responding";
  private static final String LOCKED = "it waits for a lock";

  /**
   * What a report is computed from.
   *
   * @param past its history, up to the sample of that second
   * @param loss the time until the oldest waiting message is deleted, by its age
   * @param keptFor how long messages are kept; empty if that does not depend on time alone
   * @param full until the disk is full during the reference burst
   */
  public record Input(
      ServiceView view,
      Optional<DesiredState> desired,
      Duration limit,
      ServiceHistory past,
      @Nullable Outage outage,
      RecentFailures failures,
      Loss loss,
      Optional<Duration> keptFor,
      Figure<Until> full) {

    private boolean isAway() {
      return outage != null && !outage.isOver();
    }

    /** Whether it performs nothing because of a lock; other partitions may perform meanwhile. */
    private boolean isLocked() {
      return view.waitsForLock() && (view.partitions().size() == 1 || past.performsNothing());
    }
  }

  /** The time until an event, by the age of the oldest message. */
  @FunctionalInterface
  public interface Loss {
    Figure<Until> of(Figure<Duration> behind);
  }

  /** Computes the report. Nothing amends it afterwards. */
  public static ServiceReport of(Input in) {
    ServiceHistory past = in.past();
    boolean stands = in.isAway() || in.isLocked() || in.view().hasNoRoomForResults();
    Lag lag = stands ? past.lag(in.limit()).stopped(in.limit()) : past.lag(in.limit());
    DatabaseRate can = past.databaseRate();
    DatabaseRate.Slower slower = in.isAway() ? null : past.slowerNow().known().orElse(null);
    Figure<Until> loss = in.loss().of(lag.behind());
    double kept = in.keptFor().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    return new ServiceReport(
        in.view(),
        in.desired(),
        in.limit(),
        lag,
        past.accepted(),
        stands ? Figure.measured(0.0) : past.performed(),
        unlessAway(in, can.perSecond()),
        in.isAway() || slower != null || can.atLeast().isEmpty()
            ? null
            : can.atLeast().getAsDouble(),
        slower,
        unlessAway(in, past.busy()),
        burst(in, lag),
        past.usualOver(),
        past.typicalBurst(),
        in.outage(),
        in.failures(),
        loss,
        loss.map(until -> until.left().map(left -> left.toNanos() / kept).orElse(1.0)));
  }

  private static Figure<Double> unlessAway(Input in, Figure<Double> figure) {
    return in.isAway() ? Figure.unknown(AWAY) : figure;
  }

  private static Figure<BurstHeadroom> burst(Input in, Lag lag) {
    if (in.isAway() || in.isLocked()) {
      return Figure.unknown(in.isAway() ? AWAY : LOCKED);
    }
    ServiceHistory past = in.past();
    BurstHeadroom.Service before = past.beforeBurst(in.limit());
    boolean isLate = lag.late().known().filter(it -> it instanceof Until.Passed).isPresent();
    return past.referenceBurst()
        .map(rate -> BurstHeadroom.of(rate, before, in.full()))
        .map(it -> isLate ? it.late(new Until.Passed()) : it)
        .map(it -> isRefusedByDisk(in.view()) ? it.refused(FULL) : it);
  }

  public String name() {
    return view.name();
  }

  /** Why its in-queue refuses messages at present; empty if it accepts them. */
  public Optional<QueueStats.Refusal> refusal() {
    return view.partitions().stream()
        .map(it -> it.in().refusal())
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Whether it accepts no messages, or can store no results, because its disk is full. */
  public boolean isRefusedByDisk() {
    return isRefusedByDisk(view);
  }

  private static boolean isRefusedByDisk(ServiceView view) {
    return view.partitions().stream()
        .flatMap(it -> Stream.of(it.in(), it.out()))
        .map(QueueStats::refusal)
        .anyMatch(it -> it != null && it.reason() == QueueRefused.Reason.DISK);
  }

  /** Whether it performs nothing until space is freed. */
  public boolean standsStill() {
    return view.hasNoRoomForResults();
  }

  /** Whether it waits because its database does not respond. */
  public boolean waitsForDatabase() {
    return outage != null && !outage.isOver();
  }

  /** The outage after which it performs the first batch, while messages are behind by it. */
  public Optional<Outage> returnsFrom() {
    return Optional.ofNullable(outage)
        .filter(Outage::isOver)
        .filter(_ -> phase() == ServiceState.Phase.RUNNING)
        .filter(_ -> lag.state() == Lag.State.STEADY);
  }

  /** Whether its database is slower than usual, and not because statements fail. */
  public boolean isDatabaseSlow() {
    return slowerNow != null && slowerNow.lost() == null;
  }

  /** Whether its lag grows. */
  public Lag.State trend() {
    return lag.state();
  }

  public ServiceState.Phase phase() {
    return view.state().phase();
  }

  /** The state in one word. */
  public State state() {
    return switch (phase()) {
      case FAILED, FENCED -> State.FAILED;
      case WAITING -> isRefusedByDisk() ? State.REFUSING : waiting();
      case PAUSED -> State.PAUSED;
      case STARTING -> State.STARTING;
      case DRAINED -> State.DRAINED;
      case DRAINING -> State.DRAINING;
      case IDLE, STOPPED -> State.UNKNOWN;
      case RUNNING ->
          refusal().isPresent() || isRefusedByDisk()
              ? State.REFUSING
              : view.waitsForLock()
                  ? waiting()
                  : isResuming() ? State.RESUMING : ofLag(lag.state());
    };
  }

  private State waiting() {
    return view.waitsForLock() ? State.WAITING_FOR_LOCK : State.WAITING;
  }

  private static State ofLag(Lag.State lag) {
    return switch (lag) {
      case PAUSED -> State.PAUSED;
      case GROWING -> State.GROWING;
      case DRAINING -> State.DRAINING;
      case KEEPING_UP -> State.KEEPING_UP;
      case STEADY -> State.STEADY;
      case UNKNOWN -> State.UNKNOWN;
    };
  }

  /** Whether messages wait, and too few have been performed since a break to know a rate. */
  public boolean isResuming() {
    return lag.state() == Lag.State.STEADY && performed.known().isEmpty();
  }

  /** The reason for the state; never empty if the service does not run. */
  public String reason() {
    String reason = view.state().reason();
    return !reason.isEmpty()
        ? reason
        : switch (phase()) {
          case IDLE -> "this instance works on none of its partitions";
          case STOPPED -> "it was stopped";
          case FENCED -> "another instance has taken over";
          default -> "";
        };
  }

  /**
   * The share of a burst of the usual length that stays within the limit; {@link Double#MAX_VALUE}
   * if the burst never makes it late, unknown if there were no bursts.
   */
  public Figure<Double> burstShare() {
    return typicalBurst instanceof Figure.Measured<Duration>(Duration usual)
        ? burst
            .then(BurstHeadroom::late)
            .map(late ->
                late.left()
                    .map(left -> (double) left.toNanos() / usual.toNanos())
                    .orElse(Double.MAX_VALUE))
        : Figure.unknown("no burst in 24 hours");
  }

  /** Seconds behind / limit. */
  public Figure<Double> behindShare() {
    return lag.behind().map(age -> (double) age.toNanos() / limit.toNanos());
  }
}
