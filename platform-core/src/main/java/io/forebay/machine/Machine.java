/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.machine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a process gets from the machine that it runs on: clocks, waits with a time, threads, chance,
 * and a sudden end. The core uses nothing else for these, so that a simulation can provide all of
 * them: it is a {@link ServiceLoader} provider of this class. Waits without a time, locks and
 * threads made by {@link Thread#ofVirtual} are used directly. Thread-safe.
 */
public abstract class Machine {

  /** The time of a wait without a limit. */
  public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

  private static final Machine HERE =
      ServiceLoader.load(Machine.class, Machine.class.getClassLoader())
          .findFirst()
          .orElseGet(RealMachine::new);

  /** A monotonic clock, in nanoseconds. */
  public static long nanos() {
    return HERE.nanoTime();
  }

  /** The time of day. */
  public static Instant now() {
    return HERE.instant();
  }

  /** The clock that {@link #now} reads. */
  public static InstantSource wall() {
    return Machine::now;
  }

  /** Parks the thread as {@link java.util.concurrent.locks.LockSupport#parkNanos(long)} does. */
  public static void park(long nanos) {
    HERE.parkNanos(nanos);
  }

  /**
   * Parks the thread until it is unparked or interrupted, the deadline has passed, or for no
   * reason. Hundreds of virtual threads may do so, many times a second; it may end 20 ms late.
   *
   * @param blocker what the thread waits for, for thread dumps
   * @param deadline a value of {@link #nanos}
   */
  public static void parkUntil(Object blocker, long deadline) {
    HERE.parkUntilNanos(blocker, deadline);
  }

  /** Sleeps as {@link Thread#sleep(Duration)} does. */
  public static void sleep(Duration time) throws InterruptedException {
    HERE.sleepNanos(time.toNanos());
  }

  /** Whether the latch was released within the time. */
  public static boolean await(CountDownLatch latch, Duration atMost) throws InterruptedException {
    long nanos = atMost.toNanos();
    return HERE.await(nanos, () -> latch.await(nanos, TimeUnit.NANOSECONDS), latch::await);
  }

  /** Whether the future was completed within the time, with whatever outcome. */
  public static boolean await(CompletableFuture<?> future, Duration atMost)
      throws InterruptedException {
    long nanos = atMost.toNanos();
    HERE.await(
        nanos,
        () -> {
          try {
            future.get(nanos, TimeUnit.NANOSECONDS);
          } catch (ExecutionException | TimeoutException | CancellationException _) {
            // the caller asks for the outcome
          }
          return future.isDone();
        },
        () -> {
          try {
            future.get();
          } catch (ExecutionException | CancellationException _) {
            // the caller asks for the outcome
          }
        });
    return future.isDone();
  }

  /**
   * The result of the future.
   *
   * @throws TimeoutException if it was not completed within the time
   */
  public static <T extends @Nullable Object> T get(CompletableFuture<T> future, Duration atMost)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!await(future, atMost)) {
      throw new TimeoutException();
    }
    return future.get();
  }

  /** Whether the lock was acquired within the time. */
  public static boolean lock(Lock lock, Duration atMost) throws InterruptedException {
    long nanos = atMost.toNanos();
    return HERE.await(
        nanos, () -> lock.tryLock(nanos, TimeUnit.NANOSECONDS), lock::lockInterruptibly);
  }

  /** Whether the thread has ended within the time. */
  public static boolean join(Thread thread, Duration atMost) throws InterruptedException {
    return HERE.await(atMost.toNanos(), () -> thread.join(atMost), thread::join);
  }

  /**
   * Waits for the end of a thread, even if the calling thread is interrupted; it then stays
   * interrupted.
   *
   * @return whether it has ended within the time
   */
  public static boolean awaitEnd(Thread thread, Duration atMost) {
    long begun = nanos();
    boolean interrupted = false;
    Duration left = atMost;
    while (thread.isAlive() && left.isPositive()) {
      try {
        join(thread, left);
      } catch (InterruptedException _) {
        interrupted = true;
      }
      left = atMost.equals(FOREVER) ? FOREVER : atMost.minusNanos(nanos() - begun);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  /** Waits for a signal, or for no reason; the caller holds the lock of the condition. */
  public static void await(Condition condition, long nanos) throws InterruptedException {
    HERE.await(nanos, () -> condition.await(nanos, TimeUnit.NANOSECONDS), condition::await);
  }

  /** Waits for a notification, or for no reason; the caller holds the monitor. */
  public static void waitOn(Object monitor, long nanos) throws InterruptedException {
    HERE.await(
        nanos,
        () -> {
          TimeUnit.NANOSECONDS.timedWait(monitor, nanos);
          return true;
        },
        monitor::wait);
  }

  /** Builds a thread that does not keep the process alive, and that may compute for long. */
  public static Thread.Builder thread(String name) {
    return HERE.threadBuilder(name);
  }

  /** A new source of random numbers; for one thread. They are unique, not secret. */
  public static RandomGenerator random() {
    return HERE.randomGenerator();
  }

  /**
   * A UUID that was never used before. On a real machine nobody can guess it: idempotency keys
   * depend on that.
   */
  public static UUID uuid() {
    return HERE.randomUuid();
  }

  /** The object of a type that the whole process shares; the first call makes it. */
  public static <T> T shared(Class<T> type, Supplier<T> made) {
    return type.cast(HERE.objects().computeIfAbsent(type, _ -> made.get()));
  }

  /** See {@link CrashPoint#hit}. */
  static void reached(String crashPoint) {
    HERE.crashPoint(crashPoint);
  }

  protected abstract long nanoTime();

  protected abstract Instant instant();

  protected abstract void parkNanos(long nanos);

  protected abstract void parkUntilNanos(Object blocker, long deadline);

  protected abstract void sleepNanos(long nanos) throws InterruptedException;

  /**
   * Waits in one of two ways.
   *
   * @param nanos the time; not positive if the wait may only look, {@link Long#MAX_VALUE} if it is
   *     unbounded
   * @param timed waits no longer than the time, and returns whether it was successful
   * @param untimed waits until it is successful or interrupted
   * @return whether the wait was successful within the time
   */
  protected abstract boolean await(long nanos, Timed timed, Untimed untimed)
      throws InterruptedException;

  protected abstract Thread.Builder threadBuilder(String name);

  protected abstract RandomGenerator randomGenerator();

  protected abstract UUID randomUuid();

  protected abstract ConcurrentMap<Class<?>, Object> objects();

  protected abstract void crashPoint(String name);

  /** A wait that knows how long it may take. */
  @FunctionalInterface
  protected interface Timed {
    boolean await() throws InterruptedException;
  }

  /** A wait that takes as long as it takes. */
  @FunctionalInterface
  protected interface Untimed {
    void await() throws InterruptedException;
  }
}
