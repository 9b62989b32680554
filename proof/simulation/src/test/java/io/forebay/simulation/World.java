/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * One scheduler, one source of random numbers, and one clock. It runs the threads of its processes
 * one at a time on the thread that calls {@link #run}: a thread runs until it waits or yields, then
 * chance chooses the next one. While all threads wait, the clock jumps to the next time at which
 * one of them may continue. The same seed gives the same history. For one thread.
 */
final class World {

  private static final int MOST_NANOS_OF_A_STEP = 20_000;
  private static final long LONGEST_DELAY = Long.MAX_VALUE / 2;

  final SplittableRandom random;
  final Trace trace;
  private final Thread carrier = Thread.currentThread();
  private final List<Ready> ready = new ArrayList<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::due).thenComparingLong(Timer::number));
  private long nanos = 1;
  private long steps;
  private long timersMade;
  private volatile boolean disturbed;

  /** What the current thread does that must not wait; empty if it may. */
  private String mustNotWait = "";

  private record Ready(SimulatedProcess process, Runnable continuation) {}

  /** An action at a time; {@link #cancel} prevents it. */
  static final class Timer {

    private final long due;
    private final long number;
    private final Runnable action;
    private boolean cancelled;

    Timer(long due, long number, Runnable action) {
      this.due = due;
      this.number = number;
      this.action = action;
    }

    long due() {
      return due;
    }

    long number() {
      return number;
    }

    void cancel() {
      cancelled = true;
    }
  }

  World(long seed, Trace trace) {
    this.random = new SplittableRandom(seed);
    this.trace = trace;
  }

  /** Nanoseconds since the world began. */
  long nanos() {
    return nanos;
  }

  long steps() {
    return steps;
  }

  /** Whether all threads wait. */
  boolean isIdle() {
    return ready.isEmpty();
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** A random time up to the given one, mostly a small part of it. */
  long shortTime(long mostNanos) {
    double x = random.nextDouble();
    return 1 + (long) (x * x * x * mostNanos);
  }

  Timer after(long delay, Runnable action) {
    Timer timer = new Timer(nanos + Math.clamp(delay, 0, LONGEST_DELAY), timersMade++, action);
    timers.add(timer);
    return timer;
  }

  void ready(SimulatedProcess process, Runnable continuation) {
    if (Thread.currentThread() != carrier && !Thread.currentThread().isVirtual()) {
      disturbed = true; // the JVM's own thread that ends waits for monitors
    }
    ready.add(new Ready(process, continuation));
  }

  /** Takes back what a process was ready to run. */
  List<Runnable> forget(SimulatedProcess process) {
    List<Runnable> taken =
        ready.stream().filter(it -> it.process == process).map(Ready::continuation).toList();
    ready.removeIf(it -> it.process == process);
    return taken;
  }

  /**
   * Runs until the condition holds.
   *
   * @throws Stuck if it will never hold, or takes too many steps
   */
  void run(String until, long mostSteps, BooleanSupplier over) {
    long last = steps + mostSteps;
    while (!over.getAsBoolean()) {
      if (disturbed) {
        throw new Stuck("a simulated thread waited for a monitor: use a lock there");
      }
      if (steps > last) {
        throw new Stuck("after %,d steps still waiting until %s".formatted(mostSteps, until));
      }
      Timer next = timers.peek();
      if (next != null && (next.due <= nanos || ready.isEmpty())) {
        timers.remove();
        if (!next.cancelled) {
          nanos = Math.max(nanos, next.due);
          next.action.run();
        }
      } else if (ready.isEmpty()) {
        throw new Stuck("all threads wait for ever, until " + until);
      } else {
        step();
      }
    }
  }

  private void step() {
    steps++;
    nanos += 1 + random.nextInt(MOST_NANOS_OF_A_STEP);
    int chosen = random.nextInt(ready.size());
    Ready next = ready.get(chosen);
    ready.set(chosen, ready.getLast());
    ready.removeLast();
    next.continuation.run();
    if (!mustNotWait.isEmpty()) {
      throw new IllegalStateException("a simulated thread waited within: " + mustNotWait);
    }
  }

  /** Says what the calling thread does without waiting, until it says that it does nothing. */
  void mustNotWait(String what) {
    mustNotWait = what;
  }

  /** The simulation cannot continue; a defect of the product, or of the simulation. */
  static final class Stuck extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stuck(String message) {
      super(message);
    }
  }
}
