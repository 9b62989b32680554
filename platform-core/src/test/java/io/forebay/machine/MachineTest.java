/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MachineTest {

  private static final Duration SHORT = Duration.ofMillis(5);
  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void aWaitThatIsNotSuccessfulTakesItsTime() throws Exception {
    long begun = Machine.nanos();
    assertThat(Machine.await(new CountDownLatch(1), SHORT)).isFalse();
    assertThat(Machine.await(new CompletableFuture<>(), SHORT)).isFalse();
    Thread parked = Machine.thread("parked").start(LockSupport::park);
    assertThat(Machine.join(parked, SHORT)).isFalse();
    LockSupport.unpark(parked);
    assertThat(Machine.nanos() - begun).isGreaterThanOrEqualTo(3 * SHORT.toNanos());
  }

  @Test
  void aWaitEndsWhenItIsSuccessful() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    Thread thread = Machine.thread("releases").start(latch::countDown);
    assertThat(Machine.await(latch, LONG)).isTrue();
    assertThat(Machine.join(thread, LONG)).isTrue();
    ReentrantLock lock = new ReentrantLock();
    assertThat(Machine.lock(lock, LONG)).isTrue();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
  }

  /** Each wait may also end early, for no reason; it must not last for ever. */
  @Test
  @Timeout(60)
  void aWaitForASignalEndsAfterItsTime() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    Condition never = lock.newCondition();
    long end = Machine.nanos() + SHORT.toNanos();
    lock.lock();
    try {
      for (long left; (left = end - Machine.nanos()) > 0; ) {
        Machine.await(never, left);
      }
    } finally {
      lock.unlock();
    }
    end = Machine.nanos() + SHORT.toNanos();
    synchronized (lock) {
      for (long left; (left = end - Machine.nanos()) > 0; ) {
        Machine.waitOn(lock, left);
      }
    }
  }

  @Test
  void aFutureCountsAsCompletedHoweverItEnded() throws Exception {
    CompletableFuture<String> cancelled = new CompletableFuture<>();
    cancelled.cancel(false);
    assertThat(Machine.await(CompletableFuture.failedFuture(new Exception("x")), LONG)).isTrue();
    assertThat(Machine.await(cancelled, LONG)).isTrue();
  }

  @Test
  void getReturnsOrThrowsWhatAFutureEndedWith() throws Exception {
    assertThat(Machine.get(CompletableFuture.completedFuture("x"), LONG)).isEqualTo("x");
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> Machine.get(CompletableFuture.failedFuture(new Exception("x")), LONG));
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> Machine.get(new CompletableFuture<>(), SHORT));
  }

  @Test
  void twoSourcesOfRandomNumbersDiffer() {
    assertThat(Machine.random().nextLong()).isNotEqualTo(Machine.random().nextLong());
    assertThat(Machine.uuid()).isNotEqualTo(Machine.uuid());
  }
}
