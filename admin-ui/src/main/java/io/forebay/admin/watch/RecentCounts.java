/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.operations.ServiceCounts;
import java.time.Instant;

/** The counts of a service in the last 15 minutes, or since its start. Not thread-safe. */
final class RecentCounts {

  private static final int STEP_SECONDS = 15;
  private static final int STEPS = 60;

  private final ServiceCounts[] before = new ServiceCounts[STEPS];
  private ServiceCounts latest = new ServiceCounts(0, 0, 0, 0, 0);
  private long step = Long.MIN_VALUE;

  void add(Instant now, ServiceCounts counts) {
    long current = Math.floorDiv(now.getEpochSecond(), STEP_SECONDS);
    boolean startOver = step == Long.MIN_VALUE || current < step || current - step > STEPS;
    for (long one = startOver ? current - STEPS + 1 : step + 1; one <= current; one++) {
      before[(int) Math.floorMod(one, (long) STEPS)] = counts;
    }
    step = current;
    latest = counts;
  }

  ServiceCounts counts() {
    if (step == Long.MIN_VALUE) {
      return latest;
    }
    ServiceCounts then = before[(int) Math.floorMod(step + 1, (long) STEPS)];
    return new ServiceCounts(
        latest.performed() - then.performed(),
        latest.failed() - then.failed(),
        latest.deadLetters() - then.deadLetters(),
        latest.declined() - then.declined(),
        latest.refused() - then.refused());
  }
}
