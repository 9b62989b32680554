/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import java.time.Instant;

/**
 * Simulates a volume for 30 days in steps of a quarter of an hour. At the beginning of a step
 * retention frees files; at its end the bytes that were appended and that others wrote are added.
 *
 * <pre>
 * U(t) = U + appended · t + others · t - files freed until t
 * a file is deleted at max(closed + kept, when every service has performed it)
 * </pre>
 */
final class FillWalk {

  private static final double SECONDS = 15 * 60;
  private static final int STEPS = (int) (Runway.HORIZON.toSeconds() / SECONDS);
  private static final int NOT_WITHIN = Integer.MAX_VALUE;

  private final Outlook outlook;
  private final double[] freed = new double[STEPS + 1];
  private final int keptSteps;

  FillWalk(Outlook outlook, Instant now) {
    this.outlook = outlook;
    FileRetention retention = outlook.retention();
    keptSteps = steps(Until.ofSeconds(Lag.seconds(retention.kept().plus(retention.roll())), ""));
    for (StoredFile file : outlook.files()) {
      int step = steps(retention.deleted(file, outlook.clears(), now));
      if (step <= STEPS) {
        freed[step] += file.bytes();
      }
    }
  }

  /** The first step at whose beginning the time is over. */
  private static int steps(Until until) {
    return until
        .left()
        .map(it -> (int) Math.min(STEPS + 1, Math.ceil(Lag.seconds(it) / SECONDS)))
        .orElse(NOT_WITHIN);
  }

  /**
   * The steps until the slowest service has performed its backlog; until then nothing that is
   * written from now on can be deleted.
   */
  private int heldSteps() {
    return outlook.clears().values().stream().mapToInt(FillWalk::steps).max().orElse(0);
  }

  /**
   * The seconds until the volume is full; infinity if it is not within 30 days.
   *
   * @param appended bytes per second that queues write
   * @param others bytes per second that others write
   */
  double secondsUntilFull(double appended, double others) {
    double stop = outlook.volume().stopBytes();
    double used = outlook.volume().usedBytes();
    if (used >= stop) {
      return 0;
    }
    double[] freedLater = freed.clone();
    int held = heldSteps();
    double written = (appended + outlook.extraBytesPerSecond()) * SECONDS;
    double more = written + others * SECONDS;
    for (int step = 0; step < STEPS; step++) {
      used -= freedLater[step];
      long goes = Math.max((long) step + keptSteps, held);
      if (goes <= STEPS) {
        freedLater[(int) Math.max(goes, step + 1)] += written;
      }
      if (used + more >= stop) {
        double into = more > 0 ? (stop - used) / more : 0;
        return Math.max((step + Math.clamp(into, 0, 1)) * SECONDS, 1e-3);
      }
      used += more;
    }
    return Double.POSITIVE_INFINITY;
  }
}
