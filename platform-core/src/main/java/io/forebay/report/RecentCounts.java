/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.operations.ServiceCounts;
import java.time.Instant;

/** The counts of a service in a time that ends now, or since its start. Not thread-safe. */
public final class RecentCounts {

  private final int stepSeconds;
  private final int steps;
  private final ServiceCounts[] before;
  private ServiceCounts latest = new ServiceCounts(0, 0, 0, 0, 0);
  private long step = Long.MIN_VALUE;

  /** Of that many steps of this length. */
  public RecentCounts(int stepSeconds, int steps) {
    this.stepSeconds = stepSeconds;
    this.steps = steps;
    before = new ServiceCounts[steps];
  }

  public void add(Instant now, ServiceCounts counts) {
    long current = Math.floorDiv(now.getEpochSecond(), stepSeconds);
    boolean startOver = step == Long.MIN_VALUE || current < step || current - step > steps;
    for (long one = startOver ? current - steps + 1 : step + 1; one <= current; one++) {
      before[(int) Math.floorMod(one, (long) steps)] = counts;
    }
    step = current;
    latest = counts;
  }

  public ServiceCounts counts() {
    if (step == Long.MIN_VALUE) {
      return latest;
    }
    return since(step - steps + 1);
  }

  /**
   * Those since the failures within this time began, but of that many steps at least; of the whole
   * time if none failed.
   */
  public ServiceCounts sinceFailing(int least) {
    ServiceCounts all = counts();
    if (all.failed() == 0) {
      return all;
    }
    long from = step - steps + 1;
    while (from < step - least && at(from + 1).failed() == latest.failed() - all.failed()) {
      from++;
    }
    return since(from);
  }

  private ServiceCounts at(long one) {
    return before[(int) Math.floorMod(one, (long) steps)];
  }

  private ServiceCounts since(long one) {
    ServiceCounts then = at(one);
    return new ServiceCounts(
        latest.performed() - then.performed(),
        latest.failed() - then.failed(),
        latest.deadLetters() - then.deadLetters(),
        latest.declined() - then.declined(),
        latest.refused() - then.refused());
  }
}
