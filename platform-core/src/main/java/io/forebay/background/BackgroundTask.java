/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import io.forebay.machine.Machine;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a task on a daemon thread of its own, with a pause after each turn. A turn that fails,
 * also with an {@link Error}, does not end the thread: the failure goes to the {@link Outage}, and
 * the next turn follows.
 *
 * <p>The thread is never interrupted, because an embedded database closes the files that an
 * interrupted thread reads. It is a platform thread, because computing tasks may occupy all
 * carriers of virtual threads. Turns never overlap. Thread-safe; can be started again after it was
 * closed.
 */
public final class BackgroundTask implements AutoCloseable {

  /** One turn of a task. */
  @FunctionalInterface
  public interface Turn {
    void run() throws Exception;
  }

  private final String threadName;
  private final Supplier<Duration> pause;
  private final Outage outage;
  private final Turn turn;
  private final Lock turns = new ReentrantLock();
  private final Lock state = new ReentrantLock();
  private final Condition changed = state.newCondition();
  private final CountDownLatch succeeded = new CountDownLatch(1);
  private volatile @Nullable Thread thread;
  private boolean woken;
  private volatile boolean closed;

  public BackgroundTask(String threadName, Duration pause, Outage outage, Turn turn) {
    this(threadName, () -> pause, outage, turn);
  }

  /**
   * @param pause asked after each turn for the time until the next one
   */
  public BackgroundTask(String threadName, Supplier<Duration> pause, Outage outage, Turn turn) {
    this.threadName = threadName;
    this.pause = pause;
    this.outage = outage;
    this.turn = turn;
  }

  /** Starts the thread, and the first turn at once. Has no effect while the thread runs. */
  public void start() {
    start(Duration.ZERO);
  }

  /** As {@link #start()}, with a pause before the first turn. */
  public void start(Duration first) {
    state.lock();
    try {
      if (thread == null) {
        closed = false;
        thread = Machine.thread(threadName).unstarted(() -> repeat(first));
        thread.start();
      }
    } finally {
      state.unlock();
    }
  }

  /**
   * Starts the thread, and waits until a turn has succeeded, but no longer than the given time. An
   * interrupt ends the wait; the thread stays interrupted.
   */
  public void startAndAwaitSuccess(Duration atMost) {
    start();
    try {
      boolean _ = Machine.await(succeeded, atMost);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void repeat(Duration first) {
    Duration next = first;
    while (isDueAfter(next)) {
      run();
      next = pause.get();
    }
  }

  /** Waits; returns false if the task was closed. */
  private boolean isDueAfter(Duration time) {
    long end = Machine.nanos() + time.toNanos();
    state.lock();
    try {
      awaitWake(end);
      boolean due = isCurrent();
      if (due) {
        woken = false; // otherwise it is for the thread that was started since
      }
      return due;
    } finally {
      state.unlock();
    }
  }

  private void awaitWake(long end) {
    try {
      for (long left; isCurrent() && !woken && (left = end - Machine.nanos()) > 0; ) {
        Machine.await(changed, left);
      }
    } catch (InterruptedException _) {
      // a turn left it behind; the next one begins early
    }
  }

  private boolean isCurrent() {
    return thread == Thread.currentThread();
  }

  /**
   * Performs one turn on the calling thread, after a running one. A turn during which the task was
   * closed reports nothing to the outage.
   */
  public void run() {
    turns.lock();
    try {
      turn.run();
      succeeded.countDown();
      if (!closed) {
        outage.over();
      }
    } catch (Exception | Error e) {
      if (!closed) {
        outage.failed(e);
      }
    } finally {
      turns.unlock();
    }
  }

  /** Ends the current pause, or else the next one at once. */
  public void wake() {
    state.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      state.unlock();
    }
  }

  public boolean isRunning() {
    return thread != null;
  }

  /** Ends the thread and waits until a running turn has ended, however long that takes. */
  @Override
  public void close() {
    boolean _ = close(Machine.FOREVER);
  }

  /**
   * As {@link #close()}, but waits no longer than the given time; zero does not wait.
   *
   * @return whether a running turn has ended
   */
  public boolean close(Duration atMost) {
    Thread ending = end();
    return ending == null || ending == Thread.currentThread() || Machine.awaitEnd(ending, atMost);
  }

  private @Nullable Thread end() {
    state.lock();
    try {
      Thread ending = thread;
      closed = true;
      thread = null;
      changed.signalAll();
      return ending;
    } finally {
      state.unlock();
    }
  }
}
