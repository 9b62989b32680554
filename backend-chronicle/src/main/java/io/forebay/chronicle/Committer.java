/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.CycleFiles;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread of one queue that forces appended messages to disk for all appenders at once, and then
 * acknowledges them. It groups without waiting: while one force runs, the next group gathers. At
 * level PROCESS it only forces files that are no longer written to, and calls listeners.
 *
 * <p>A failed force is final. The kernel may have dropped the pages and would report success for
 * the next attempt.
 */
final class Committer implements Runnable {

  private static final long AWAIT_NANOS = 50_000;

  private final PartitionLog[] logs;
  private final PartitionForce[] files;
  private final boolean everyAppend;
  private final List<ChronicleAppender> appenders = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean idle;
  private volatile boolean signalled;
  private volatile boolean stopping;
  private volatile @Nullable QueueFailed failure;

  /**
   * @param everyAppend whether a message is acknowledged only after it was forced
   */
  Committer(String queue, PartitionLog[] logs, PartitionForce[] files, boolean everyAppend) {
    this.logs = logs;
    this.files = files;
    this.everyAppend = everyAppend;
    thread = Machine.thread("forebay-commit-" + queue).start(this);
  }

  synchronized void add(ChronicleAppender appender) {
    if (failure != null) {
      appender.end(failure);
    }
    appenders.add(appender);
  }

  /** Wakes the committer. Cheap while it is working. */
  void signal() {
    if (!signalled) {
      signalled = true;
    }
    if (idle) {
      LockSupport.unpark(thread);
    }
  }

  /** Treats an error like a failed force: final, since no other thread acknowledges messages. */
  @Override
  public void run() {
    try {
      forceUntilStopped();
    } catch (Throwable e) {
      QueueFailed cause = new QueueFailed("the thread that forces the queue to disk ended", e);
      for (PartitionLog each : logs) {
        each.health().fail("the thread that forces it to disk ended", e);
      }
      fail(cause);
    }
  }

  private void forceUntilStopped() {
    while (!stopping) {
      idle = true;
      while (!signalled && !stopping) {
        LockSupport.park(this);
      }
      idle = false;
      signalled = false;
      round();
    }
    round();
    end(new QueueFailed("the queue was closed", null));
  }

  private void round() {
    for (ChronicleAppender appender : appenders) {
      appender.beforeForce();
    }
    if (failure == null && drain() && force()) {
      for (ChronicleAppender appender : appenders) {
        appender.afterForce();
      }
    }
    appenders.removeIf(ChronicleAppender::isDone);
  }

  /**
   * Waits until everything before a message is forced. The message is already appended, so a force
   * that covers it is running or signalled.
   *
   * @throws QueueFailed if it will never be forced
   */
  void awaitForced(int partition, long number) {
    while (logs[partition].forced() < number) {
      QueueFailed failed = failure;
      boolean never =
          failed != null
              || (logs[partition].cycle() == CycleFiles.NO_CYCLE
                  && logs[partition].stored() >= number);
      if (never && logs[partition].forced() < number) {
        throw new QueueFailed(
            "%s is not forced to disk up to message %,d and will not be: %s"
                .formatted(
                    logs[partition].name(),
                    number,
                    failed == null ? "none of its files can be written" : failed.getMessage()),
            failed);
      }
      signal();
      Machine.park(AWAIT_NANOS);
    }
  }

  /** Moves to the files what the next force has to cover; false if that is not possible now. */
  private boolean drain() {
    if (everyAppend) {
      for (PartitionLog log : logs) {
        if (!log.drain()) {
          if (log.intake().isFailed()) {
            fail(new QueueFailed("%s could not be written".formatted(log.name()), null));
          }
          return false;
        }
      }
    }
    return true;
  }

  private boolean force() {
    for (int i = 0; i < files.length; i++) {
      try {
        files[i].force(everyAppend || stopping);
      } catch (IOException | RuntimeException e) {
        for (PartitionLog each : logs) {
          each.health().fail("the queue could not be forced to disk", e);
        }
        fail(
            new QueueFailed(
                "%s could not be forced to disk; whether its last messages are durable is not known"
                    .formatted(logs[i].name()),
                e));
        return false;
      }
    }
    return true;
  }

  private void fail(QueueFailed cause) {
    end(cause);
    for (ChronicleAppender appender : appenders) {
      appender.tellFailure(cause);
    }
  }

  private synchronized void end(QueueFailed cause) {
    if (failure == null) {
      failure = cause;
      for (ChronicleAppender appender : appenders) {
        appender.end(cause);
      }
    }
  }

  /** Forces once more and ends. What is not acknowledged by then never will be. */
  void stop() {
    stopping = true;
    LockSupport.unpark(thread);
    Machine.awaitEnd(thread, Machine.FOREVER);
  }
}
