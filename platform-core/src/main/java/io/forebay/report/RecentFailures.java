/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.operations.ServiceCounts;
import io.forebay.operations.failures.Failures;
import java.time.Duration;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What failed lately at a service. Immutable.
 *
 * @param quarter the counts of the last 15 minutes
 * @param minute those of the last minute
 * @param lately those since the failures of the last minute began, but of the last 5 s at least
 * @param sinceLast how long ago the last statement failed; null if none did since the start
 * @param open what an operator has yet to decide about, of all instances; null if not counted yet
 * @param most the group of most of the last failures; null if few failed, or if it is not known
 */
public record RecentFailures(
    ServiceCounts quarter,
    ServiceCounts minute,
    ServiceCounts lately,
    @Nullable Duration sinceLast,
    OpenFailures.@Nullable Open open,
    Failures.@Nullable Group most) {

  /** With fewer failures in 15 minutes, their share says nothing, unless most statements fail. */
  public static final int LEAST = 10;

  /** As {@link #LEAST}, if {@link #MOST} of the statements fail. */
  public static final int FEW = 3;

  public static final double MOST = 0.5;

  /** Failures within a minute whose share says something at once. */
  private static final int ENOUGH = 20;

  /** The least share of them. */
  private static final double MANY = 0.05;

  /** If none failed for five times the mean time between them, failures have ended. */
  private static final Duration GAPS_OF_A_MINUTE = Duration.ofMinutes(5);

  private static final Duration LEAST_GAP = Duration.ofSeconds(3);
  private static final Duration MOST_GAP = Duration.ofSeconds(10);

  /** Failed statements / performed ones; 0 if none was performed. */
  public static double share(ServiceCounts counts) {
    return counts.performed() == 0 ? 0 : (double) counts.failed() / counts.performed();
  }

  /** The share of the quarter of an hour; 0 if too few failed to judge by it. */
  public double judgedShare() {
    double share = share(quarter);
    return quarter.failed() >= (share >= MOST ? FEW : LEAST) ? share : 0;
  }

  /** The share of statements that fail now, if so many do that there is no need to wait and see. */
  public OptionalDouble shareNow() {
    double share = share(lately);
    return lately.failed() >= ENOUGH && share >= MANY && !haveEnded()
        ? OptionalDouble.of(share)
        : OptionalDouble.empty();
  }

  /** Whether none has failed for a while. */
  public boolean haveEnded() {
    return isOver(sinceLast, minute.failed());
  }

  /**
   * Whether failures have ended, for alerts and for groups alike.
   *
   * @param sinceLast how long ago the last one failed; null if none did
   * @param lastMinute how many failed in the last minute
   */
  public static boolean isOver(@Nullable Duration sinceLast, long lastMinute) {
    return sinceLast == null
        || sinceLast.compareTo(MOST_GAP) > 0
        || (lastMinute > 0
            && sinceLast.compareTo(LEAST_GAP) > 0
            && sinceLast.multipliedBy(lastMinute).compareTo(GAPS_OF_A_MINUTE) > 0);
  }

  /** Whether nothing is left to do: failures have ended, and none is open. */
  public boolean failedAreDone() {
    return haveEnded() && open != null && open.count() == 0;
  }

  /** Whether no failed message is open, and the last dead letter is more than a minute old. */
  public boolean deadAreDone() {
    return minute.deadLetters() == 0 && open != null && open.count() == 0;
  }
}
