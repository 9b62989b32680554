/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SharesTest {

  private static final long STEP = TimeUnit.MILLISECONDS.toNanos(1);

  private long now = 1_000;
  private final Shares shares = new Shares(() -> now);

  /** A thread that performs one transaction after another, with a gap in which it reads. */
  private final class Busy {
    private final Share.Worker worker;
    private final long transaction;
    private final long gap;
    private boolean running;
    private boolean waiting;
    private long until;
    private long total;

    Busy(Share share, int millis, int gapMillis) {
      worker = share.addWorker();
      transaction = millis * STEP;
      gap = gapMillis * STEP;
    }

    void step() {
      total += running ? STEP : 0;
      if (running && now >= until) {
        shares.end(worker, true);
        running = false;
        until = now + gap;
      }
      if (!running && !waiting && now >= until) {
        shares.enter(worker);
        waiting = true;
      }
      if (waiting && shares.waitNanos(worker) == 0) {
        shares.start(worker);
        waiting = false;
        running = true;
        until = now + transaction;
      }
    }
  }

  private void run(Duration time, @Nullable Busy... busy) {
    for (long end = now + time.toNanos(); now < end; now += STEP) {
      for (Busy each : busy) {
        if (each != null) {
          each.step();
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 20, 20, 5", "3, 20, 20, 5", "3, 50, 5, 1", "3, 5, 50, 1", "10, 20, 20, 5"})
  void busyLanesShareTheTimeByWeight(int weight, int millis, int otherMillis, int gap) {
    Busy one = new Busy(shares.add(1), millis, gap);
    Busy other = new Busy(shares.add(weight), otherMillis, gap);
    run(Duration.ofSeconds(60), one, other);
    assertThat((double) other.total / one.total).isCloseTo(weight, within(weight * 0.05));
  }

  @Test
  void theWorkersOfALaneShareItsTime() {
    Share lane = shares.add(1);
    Busy first = new Busy(lane, 20, 5);
    Busy second = new Busy(lane, 20, 5);
    Busy other = new Busy(shares.add(1), 20, 5);
    run(Duration.ofSeconds(60), first, second, other);
    assertThat((double) other.total / (first.total + second.total)).isCloseTo(1, within(0.05));
  }

  @Test
  void aLaneAloneNeverWaits() {
    shares.add(100);
    Busy alone = new Busy(shares.add(1), 20, 0);
    run(Duration.ofSeconds(10), alone);
    assertThat(alone.total).isCloseTo(10_000 * STEP, within(20 * STEP));
  }

  @Test
  void aLaneThatHadNoWorkHasNoCredit() {
    Share idle = shares.add(1);
    Busy busy = new Busy(shares.add(1), 20, 0);
    run(Duration.ofSeconds(100), busy);
    Busy late = new Busy(idle, 20, 0);
    long before = busy.total;
    run(Duration.ofSeconds(10), busy, late);
    assertThat((double) late.total / (busy.total - before)).isCloseTo(1, within(0.05));
  }

  @Test
  void aLaneThatStopsAmidItsWorkDelaysOthersForAMoment() {
    Busy stopped = new Busy(shares.add(3), 20, 5);
    Busy other = new Busy(shares.add(1), 20, 0);
    run(Duration.ofSeconds(1), stopped, other);
    while (stopped.running || stopped.waiting) {
      run(Duration.ofMillis(1), stopped, other);
    }
    run(Shares.PROMISE.plusMillis(2), other);
    long before = other.total;
    run(Duration.ofSeconds(1), other);
    assertThat(other.total - before).isCloseTo(1_000 * STEP, within(25 * STEP));
  }

  @Test
  @Timeout(60)
  void aTransactionWaitsForALaneThatIsBehindButNotForever() {
    Shares real = new Shares();
    Share.Worker behind = real.add(100).addWorker();
    Share.Worker ahead = real.add(1).addWorker();
    behind.begin();
    ahead.begin();
    long start = System.nanoTime();
    while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(30)) {
      Thread.onSpinWait();
    }
    ahead.end(true);
    long end = System.nanoTime();
    ahead.begin();
    assertThat(System.nanoTime() - end)
        .isGreaterThanOrEqualTo(Shares.LONGEST_WAIT.toNanos() - STEP);
  }

  @Test
  void aLaneHasAWeightOfAtLeastOne() {
    assertThatThrownBy(() -> shares.add(0)).hasMessage("weight is 0, minimum 1");
  }
}
