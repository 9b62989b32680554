/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.machine.SimulatedMachine;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A process of the world: its threads are virtual, with this object as their scheduler, which the
 * threads that they start inherit. {@link #kill} is as sudden as SIGKILL: no thread of it runs
 * again, not even a finally block.
 */
final class SimulatedProcess implements Executor, SimulatedMachine.Simulated {

  private static final Method NEW_VIRTUAL_THREAD = newVirtualThread();
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final double YIELDS = 0.5;
  private static final long SHORTEST_JUMP = 1_000_000;
  private static final int SIZES_OF_JUMPS = 30;

  private final World world;
  private final String name;
  private final List<Runnable> onDeath = new ArrayList<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private final ConcurrentMap<Class<?>, Object> objects = new ConcurrentHashMap<>();
  private long clockIsOff;
  private boolean frozen;
  private boolean dead;
  private @Nullable Throwable failure;
  private Consumer<String> onFatal = this::kill;

  SimulatedProcess(World world, String name) {
    this.world = world;
    this.name = name;
  }

  private static Method newVirtualThread() {
    try {
      Method method =
          Class.forName("java.lang.ThreadBuilders")
              .getDeclaredMethod(
                  "newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
      method.setAccessible(true);
      return method;
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Starts a thread of the process. */
  void start(String thread, Runnable task) {
    SimulatedMachine.as(
        this,
        () -> {
          try {
            Thread made =
                (Thread)
                    NEW_VIRTUAL_THREAD.invoke(null, this, thread, 0, (Runnable) () -> run(task));
            made.start();
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** What a thread started by {@link #start} threw; null if none did. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** The process that the calling thread belongs to. */
  static SimulatedProcess current() {
    return (SimulatedProcess) Objects.requireNonNull(SimulatedMachine.current());
  }

  @Override
  public void execute(Runnable continuation) {
    if (dead) {
      return;
    }
    if (frozen) {
      waiting.add(continuation);
    } else {
      world.ready(this, continuation);
    }
  }

  /** Stops all threads for some time, as SIGSTOP does. */
  void freeze(long nanos) {
    if (dead || frozen) {
      return;
    }
    world.trace.add(world, name, "is frozen");
    frozen = true;
    waiting.addAll(world.forget(this));
    world.after(
        nanos,
        () -> {
          if (!dead) {
            world.trace.add(world, name, "continues");
          }
          frozen = false;
          List<Runnable> released = List.copyOf(waiting);
          waiting.clear();
          released.forEach(this::execute);
        });
  }

  boolean isDead() {
    return dead;
  }

  boolean isFrozen() {
    return frozen;
  }

  /** Runs when the process dies: what its host and its peers notice. */
  void onDeath(Runnable action) {
    onDeath.add(action);
  }

  /** A thread of the process ends the process, and never continues. */
  void die() {
    world.after(0, () -> onFatal.accept("by a statement"));
    while (true) {
      LockSupport.park();
    }
  }

  /** Runs when the process ends itself. */
  void onFatal(Consumer<String> action) {
    onFatal = action;
  }

  void kill(String why) {
    if (!dead) {
      world.trace.add(world, name, "is killed: %s", why);
      end();
    }
  }

  /** Ends with its history. */
  void end() {
    if (!dead) {
      dead = true;
      world.forget(this);
      onDeath.forEach(Runnable::run);
    }
  }

  /**
   * Lets other threads run, or not. Everything outside of the process calls it before and after.
   */
  void pause() {
    if (world.chance(YIELDS)) {
      Thread.yield();
    }
  }

  /** Lets time pass in which the calling thread waits for something outside of the process. */
  void takes(long nanos) {
    long until = nanos() + nanos;
    for (long left = nanos; left > 0; left = until - nanos()) {
      park(left);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }

  World world() {
    return world;
  }

  String name() {
    return name;
  }

  @Override
  public long nanos() {
    return world.nanos();
  }

  @Override
  public Instant now() {
    return BEGIN.plusNanos(world.nanos() + clockIsOff);
  }

  /** The clock of the host jumps by milliseconds to days, forwards or backwards. */
  void clockJumps() {
    long least = SHORTEST_JUMP << world.random.nextInt(SIZES_OF_JUMPS);
    long nanos = least + world.random.nextLong(least);
    clockJumps(world.chance(0.5) ? nanos : -nanos);
  }

  /** The clock of the host jumps; {@link #nanos} does not. */
  void clockJumps(long nanos) {
    clockIsOff += nanos;
    world.trace.add(world, name, "its clock jumps to %s", now());
  }

  /** How far the clock of its host has jumped. */
  long clockIsOff() {
    return clockIsOff;
  }

  /** The next process on its host. */
  SimulatedProcess next(String named) {
    SimulatedProcess next = new SimulatedProcess(world, named);
    next.clockIsOff = clockIsOff;
    return next;
  }

  @Override
  public ConcurrentMap<Class<?>, Object> objects() {
    return objects;
  }

  @Override
  public void park(long nanos) {
    if (nanos <= 0) {
      return;
    }
    Thread thread = Thread.currentThread();
    World.Timer timer = world.after(nanos, () -> LockSupport.unpark(thread));
    LockSupport.park();
    timer.cancel();
  }

  @Override
  public boolean await(long nanos, SimulatedMachine.Wait untimed) throws InterruptedException {
    Thread thread = Thread.currentThread();
    boolean[] over = {false};
    World.Timer timer =
        world.after(
            nanos,
            () -> {
              over[0] = true;
              thread.interrupt();
            });
    try {
      untimed.await();
      return true;
    } catch (InterruptedException e) {
      if (over[0]) {
        return false;
      }
      throw e;
    } finally {
      timer.cancel();
      if (over[0]) {
        Thread.interrupted();
      }
    }
  }

  @Override
  public RandomGenerator random() {
    SplittableRandom random = new SplittableRandom(world.random.nextLong());
    return new RandomGenerator() {
      @Override
      public long nextLong() {
        return random.nextLong();
      }

      @Override
      public int nextInt() {
        return random.nextInt();
      }

      @Override
      public void nextBytes(byte[] bytes) {
        Arrays.fill(bytes, (byte) random.nextInt()); // nobody looks at their content
      }
    };
  }

  @Override
  public void reached(String crashPoint) {
    pause();
  }

  @Override
  public String toString() {
    return name;
  }
}
