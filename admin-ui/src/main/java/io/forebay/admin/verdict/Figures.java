/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.operations.LockHolder;
import io.forebay.queue.QueueRefused;
import io.forebay.report.Host;
import io.forebay.report.Outage;
import io.forebay.report.RecentFailures;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The figures and causes of an alert. They are all that is known of it: the page makes its sentence
 * of them, with one template for each {@link AlertKind}.
 */
public sealed interface Figures {

  /** A service at the moment. */
  record Standing(
      ServiceReport.State state,
      String reason,
      boolean accepts,
      Duration limit,
      Lag.State trend,
      @JsonUnwrapped @JsonIgnoreProperties({"state", "growth"}) Lag lag,
      Figure<Double> accepted,
      Figure<Double> performed) {

    static Standing of(ServiceReport report) {
      return new Standing(
          report.state(),
          report.reason(),
          report.view().accepts(),
          report.limit(),
          report.lag().state(),
          report.lag(),
          report.accepted(),
          report.performed());
    }
  }

  /** A service that is behind or will be, or whose workers are busy. */
  record Behind(@JsonUnwrapped Standing now, Cause cause) implements Figures {

    static Behind of(ServiceReport report) {
      return new Behind(Standing.of(report), Cause.of(report));
    }
  }

  /**
   * A service that waits.
   *
   * @param outage of its database; null if it waits for something else
   * @param lock the session that holds a lock for which it waits; null if it waits for something
   *     else
   * @param forOneMessage whether an operator may fail the message that it waits for
   */
  record Waiting(
      @JsonUnwrapped Standing now,
      @Nullable Outage outage,
      @Nullable LockHolder lock,
      boolean forOneMessage)
      implements Figures {}

  /**
   * A service that an operator has paused.
   *
   * @param pause null if nobody requested it
   */
  record Paused(
      @JsonUnwrapped Standing now,
      @JsonIgnoreProperties({"service", "paused"}) @Nullable DesiredState pause)
      implements Figures {}

  /** A service that stopped, or a partition of it. */
  record Stopped(ServiceState.Phase phase, String reason) implements Figures {}

  record Refusing(QueueRefused.Reason reason) implements Figures {}

  /** Retention deletes the oldest waiting message. */
  record Loss(Figure<Until> loss) implements Figures {}

  /**
   * The reference burst.
   *
   * @param usual how long bursts usually last
   */
  record Burst(Figure<Until> onTime, Figure<Duration> usual) implements Figures {}

  /**
   * Failed messages.
   *
   * @param count in 15 minutes
   * @param performed in 15 minutes
   * @param lately how many failed since the failures of the last minute began
   * @param shareNow the share that fails now; null unless many do
   * @param over how long ago the last one failed, if the failures have ended; else null
   * @param cause of most of them; null if unknown
   * @param closes whether the alert closes soon
   */
  record Failures(
      long count,
      long performed,
      long lately,
      @Nullable Double shareNow,
      @Nullable Duration over,
      @Nullable FailureCause cause,
      boolean closes)
      implements Figures {

    static Failures dead(RecentFailures seen) {
      return new Failures(
          seen.quarter().deadLetters(),
          seen.quarter().performed(),
          seen.minute().deadLetters(),
          null,
          null,
          null,
          false);
    }

    static Failures failed(RecentFailures seen, boolean closes) {
      OptionalDouble share = seen.shareNow();
      io.forebay.operations.failures.Failures.Group most = seen.most();
      return new Failures(
          seen.quarter().failed(),
          seen.quarter().performed(),
          seen.lately().failed(),
          share.isPresent() ? share.getAsDouble() : null,
          seen.haveEnded() ? seen.sinceLast() : null,
          most == null ? null : new FailureCause(most.cause().statement(), most.text()),
          closes);
    }
  }

  record FailureCause(@Nullable String statement, String text) {}

  /**
   * A volume.
   *
   * @param refusing the services that refuse messages because it is full; null unless it is
   */
  record Disk(@JsonUnwrapped Host.VolumeView view, @Nullable List<String> refusing)
      implements Figures {}

  /**
   * @param unseen how long it has not been seen
   */
  record OtherInstance(String name, Duration unseen) implements Figures {}

  /**
   * The last run of a job that needs attention.
   *
   * @param runs how many failed
   * @param parameters if its process died, so that an operator sees for which time it was
   */
  record Job(
      Trouble trouble,
      String job,
      long execution,
      int runs,
      @Nullable Instant ended,
      String failure,
      long read,
      long written,
      long skipped,
      Map<String, String> parameters)
      implements Figures {}

  /** What is wrong with a run of a job. */
  enum Trouble {
    /** Its process is dead, and it is not recovered yet. */
    DEAD,
    /** Its process died. */
    LOST,
    FAILED,
    /** It failed before it read or wrote anything, as with wrong parameters. */
    NOT_BEGUN,
    /** It is complete, and many items were skipped. */
    SKIPPED
  }
}
