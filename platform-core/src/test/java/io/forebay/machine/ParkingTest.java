/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.machine;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ParkingTest {

  private static final Duration LONG = Duration.ofMinutes(10);

  @Test
  void aVirtualThreadIsUnparkedAtItsDeadline() throws Exception {
    List<CompletableFuture<Long>> late = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      long deadline = System.nanoTime() + (30 + i) * 1_000_000L;
      late.add(
          inVirtualThread(() -> {
            while (deadline - System.nanoTime() > 0) {
              Parking.parkUntil(this, deadline);
            }
            return System.nanoTime() - deadline;
          }));
    }
    for (CompletableFuture<Long> each : late) {
      assertThat(each.get(60, SECONDS)).isNotNegative();
    }
  }

  @Test
  void unparkEndsThePark() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Thread> parked = new CompletableFuture<>();
    CompletableFuture<Boolean> ended =
        inVirtualThread(() -> {
          parked.complete(Thread.currentThread());
          while (!over.get()) {
            Parking.parkUntil(this, System.nanoTime() + LONG.toNanos());
          }
          return true;
        });
    Thread thread = parked.get(60, SECONDS);
    over.set(true);
    LockSupport.unpark(thread);
    assertThat(ended.get(60, SECONDS)).isTrue();
  }

  @Test
  void interruptEndsThePark() throws Exception {
    CompletableFuture<Thread> parked = new CompletableFuture<>();
    CompletableFuture<Boolean> ended =
        inVirtualThread(() -> {
          parked.complete(Thread.currentThread());
          while (!Thread.currentThread().isInterrupted()) {
            Parking.parkUntil(this, System.nanoTime() + LONG.toNanos());
          }
          return true;
        });
    parked.get(60, SECONDS).interrupt();
    assertThat(ended.get(60, SECONDS)).isTrue();
  }

  private static <T> CompletableFuture<T> inVirtualThread(Supplier<T> body) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> result.completeAsync(body, Runnable::run));
    return result;
  }
}
