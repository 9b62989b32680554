/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread of one queue that forces what was appended to disk, for all appenders at once, and
 * then acknowledges it. It groups without waiting: while one force runs, the next group gathers. At
 * level PROCESS it forces only files that are left behind, and tells listeners.
 *
 * <p>A failed force is final. The kernel may have dropped the pages and would call the next attempt
 * a success.
 */
final class Committer implements Runnable {

  private final PartitionLog[] logs;
  private final ForcedFiles[] files;
  private final boolean everyAppend;
  private final Map<ChronicleAppender, Unacknowledged> listening = new ConcurrentHashMap<>();
  private final List<ChronicleAppender> appenders;
  private final Thread thread;
  private volatile boolean idle;
  private volatile boolean signalled;
  private volatile boolean stopping;
  private volatile @Nullable QueueFailed failure;

  Committer(
      String queue,
      PartitionLog[] logs,
      ForcedFiles[] files,
      List<ChronicleAppender> appenders,
      boolean everyAppend) {
    this.logs = logs;
    this.files = files;
    this.appenders = appenders;
    this.everyAppend = everyAppend;
    thread = Thread.ofPlatform().daemon().name("forebay-commit-" + queue).unstarted(this);
  }

  void start() {
    thread.start();
  }

  void listen(ChronicleAppender appender, Unacknowledged list) {
    listening.put(appender, list);
  }

  /** There is something to do. Cheap while the committer is at work. */
  void signal() {
    if (!signalled) {
      signalled = true;
    }
    if (idle) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void run() {
    while (!stopping) {
      if (!signalled) {
        idle = true;
        while (!signalled && !stopping) {
          LockSupport.park(this);
        }
        idle = false;
      }
      signalled = false;
      round();
    }
    round();
  }

  private void round() {
    for (ChronicleAppender appender : appenders) {
      appender.beforeForce();
    }
    if (failure == null && !forceAll()) {
      return;
    }
    for (ChronicleAppender appender : appenders) {
      if (failure == null) {
        appender.afterForce();
        Unacknowledged list = listening.get(appender);
        if (list != null) {
          list.tellUpTo(appender.forced());
        }
      }
      if (appender.isDone()) {
        appenders.remove(appender);
        listening.remove(appender);
      }
    }
  }

  private boolean forceAll() {
    for (int i = 0; i < files.length; i++) {
      try {
        files[i].force(everyAppend || stopping);
      } catch (IOException e) {
        failed(logs[i], e);
        return false;
      }
    }
    return true;
  }

  private void failed(PartitionLog log, IOException cause) {
    QueueFailed failed =
        new QueueFailed(
            "%s could not be forced to disk; whether its last messages are durable is not known, and nothing is accepted until a restart"
                .formatted(log.name()),
            cause);
    failure = failed;
    for (PartitionLog each : logs) {
      each.fail("the queue could not be forced to disk", cause);
    }
    for (ChronicleAppender appender : appenders) {
      appender.fail(failed);
    }
  }

  /**
   * Forces once more and ends.
   *
   * @return whether this thread was interrupted meanwhile
   */
  boolean stop() {
    stopping = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    return interrupted;
  }
}
