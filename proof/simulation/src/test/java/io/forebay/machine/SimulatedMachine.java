/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.machine;

import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The machine of the threads of a simulation. Threads that belong to none, such as those of JUnit,
 * have the real one.
 */
public final class SimulatedMachine extends RealMachine {

  private static final InheritableThreadLocal<@Nullable Simulated> OF_THREAD =
      new InheritableThreadLocal<>();

  /** What a simulated process gets from its machine. */
  public interface Simulated {

    long nanos();

    Instant now();

    void park(long nanos);

    boolean await(long nanos, Wait untimed) throws InterruptedException;

    RandomGenerator random();

    ConcurrentMap<Class<?>, Object> objects();

    void reached(String crashPoint);
  }

  /** A wait that ends when it is successful or interrupted. */
  @FunctionalInterface
  public interface Wait {
    void await() throws InterruptedException;
  }

  /** Runs an action whose new threads belong to a process. */
  public static void as(Simulated process, Runnable action) {
    Simulated before = OF_THREAD.get();
    OF_THREAD.set(process);
    try {
      action.run();
    } finally {
      OF_THREAD.set(before);
    }
  }

  /** The process of this thread; null if it is not simulated. */
  public static @Nullable Simulated current() {
    return OF_THREAD.get();
  }

  @Override
  protected long nanoTime() {
    Simulated process = current();
    return process == null ? super.nanoTime() : process.nanos();
  }

  @Override
  protected Instant instant() {
    Simulated process = current();
    return process == null ? super.instant() : process.now();
  }

  @Override
  protected void parkNanos(long nanos) {
    Simulated process = current();
    if (process == null) {
      super.parkNanos(nanos);
    } else {
      process.park(nanos);
    }
  }

  @Override
  protected void parkUntilNanos(Object blocker, long deadline) {
    Simulated process = current();
    if (process == null) {
      super.parkUntilNanos(blocker, deadline);
    } else {
      process.park(deadline - process.nanos());
    }
  }

  @Override
  protected void sleepNanos(long nanos) throws InterruptedException {
    Simulated process = current();
    if (process == null) {
      super.sleepNanos(nanos);
      return;
    }
    long until = process.nanos() + nanos;
    for (long left = nanos; left > 0; left = until - process.nanos()) {
      process.park(left);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  @Override
  protected boolean await(long nanos, Timed timed, Untimed untimed) throws InterruptedException {
    Simulated process = current();
    return process == null || nanos <= 0
        ? super.await(nanos, timed, untimed)
        : process.await(nanos, untimed::await);
  }

  @Override
  protected Thread.Builder threadBuilder(String name) {
    return current() == null ? super.threadBuilder(name) : Thread.ofVirtual().name(name);
  }

  @Override
  protected RandomGenerator randomGenerator() {
    Simulated process = current();
    return process == null ? super.randomGenerator() : process.random();
  }

  @Override
  protected UUID randomUuid() {
    Simulated process = current();
    if (process == null) {
      return super.randomUuid();
    }
    RandomGenerator random = process.random();
    return new UUID(random.nextLong(), random.nextLong());
  }

  @Override
  protected ConcurrentMap<Class<?>, Object> objects() {
    Simulated process = current();
    return process == null ? super.objects() : process.objects();
  }

  @Override
  protected void crashPoint(String name) {
    Simulated process = current();
    if (process == null) {
      super.crashPoint(name);
    } else {
      process.reached(name);
    }
  }
}
