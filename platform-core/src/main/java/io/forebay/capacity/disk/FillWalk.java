/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import java.time.Instant;
import java.util.Map;

/**
 * Simulates a volume for 30 days in steps of a quarter of an hour. At the beginning of a step
 * retention frees files; at its end the bytes that were appended and that others wrote are added.
 *
 * <pre>
 * U(t) = U + appended(t) + others · t - files freed until t
 * a file is deleted at max(closed + kept, when every service has performed it)
 * </pre>
 */
final class FillWalk {

  /** The length of a step in seconds. */
  static final double SECONDS = 60.0 * GrowthForecast.QUARTER;

  private static final int STEPS = (int) (Runway.HORIZON.toMinutes() / GrowthForecast.QUARTER);
  private static final int NOT_WITHIN = Integer.MAX_VALUE;

  private final Outlook outlook;
  private final GrowthForecast growth;
  private final double othersPerSecond;
  private final Instant now;
  private final double[] freed = new double[STEPS + 1];
  private final int keptSteps;

  /**
   * The result of a walk: seconds until full or NaN, the most bytes used and when, and the bytes
   * used over time.
   */
  record End(double seconds, double peakBytes, double peakSeconds, FillCurve curve) {

    Until until() {
      return Double.isNaN(seconds)
          ? new Until.Never("not within 30 days")
          : Until.ofSeconds(seconds, "not within 30 days");
    }
  }

  FillWalk(Outlook outlook, GrowthForecast growth, double othersPerSecond, Instant now) {
    this.outlook = outlook;
    this.growth = growth;
    this.othersPerSecond = othersPerSecond;
    this.now = now;
    keptSteps =
        outlook
            .retention()
            .map(it -> steps(Until.ofSeconds(Lag.seconds(it.kept().plus(it.roll())), "")))
            .orElse(NOT_WITHIN);
    outlook.retention().ifPresent(retention -> outlook.files().forEach(it -> free(it, retention)));
  }

  private void free(StoredFile file, FileRetention retention) {
    int step = steps(retention.deleted(file, outlook.clears(), now));
    if (step <= STEPS) {
      freed[step] += file.bytes();
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
    int held = 0;
    for (Map.Entry<String, Until> entry : outlook.clears().entrySet()) {
      held = Math.max(held, steps(entry.getValue()));
    }
    return held;
  }

  /**
   * @param times factor on the forecast growth, for the edges of a band
   */
  End walk(double times) {
    double stop = outlook.volume().stopBytes();
    double used = outlook.volume().usedBytes();
    if (used >= stop) {
      return new End(0, used, 0, new FillCurve(used, used, 0));
    }
    FillCurve curve = new FillCurve(used, stop, STEPS);
    double[] freedLater = freed.clone();
    int held = heldSteps();
    double peak = used;
    double peakSeconds = 0;
    for (int step = 0; step < STEPS; step++) {
      used -= freedLater[step];
      double written =
          Math.max(0, growth.rate(step) * times * outlook.intake() + outlook.extraBytesPerSecond())
              * SECONDS;
      long goes = Math.max((long) step + keptSteps, held);
      if (keptSteps != NOT_WITHIN && goes <= STEPS) {
        freedLater[(int) Math.max(goes, step + 1)] += written;
      }
      double more = written + othersPerSecond * SECONDS;
      curve.step(used, more);
      if (used + more >= stop) {
        double into = more > 0 ? (stop - used) / more : 0;
        double seconds = (step + Math.clamp(into, 0, 1)) * SECONDS;
        return new End(Math.max(seconds, 1e-3), stop, seconds, curve);
      }
      used += more;
      if (used > peak) {
        peak = used;
        peakSeconds = (step + 1) * SECONDS;
      }
    }
    return new End(Double.NaN, peak, peakSeconds, curve);
  }
}
