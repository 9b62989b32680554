/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Whether failures have ended, for alerts and for groups alike. */
public final class Ending {

  /** If none failed for so many times the mean time between them, they have ended. */
  private static final int GAPS = 5;

  private static final Duration GAPS_OF_A_MINUTE = Duration.ofMinutes(GAPS);
  private static final Duration LEAST_GAP = Duration.ofSeconds(3);
  private static final Duration MOST_GAP = Duration.ofSeconds(10);

  private Ending() {}

  /**
   * @param sinceLast how long ago the last one failed; null if none did
   * @param lastMinute how many failed in the last minute
   */
  public static boolean isOver(@Nullable Duration sinceLast, long lastMinute) {
    if (sinceLast == null || sinceLast.compareTo(MOST_GAP) > 0) {
      return true;
    }
    return lastMinute > 0
        && sinceLast.compareTo(LEAST_GAP) > 0
        && sinceLast.multipliedBy(lastMinute).compareTo(GAPS_OF_A_MINUTE) > 0;
  }
}
