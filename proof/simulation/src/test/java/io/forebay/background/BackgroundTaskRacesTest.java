/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class BackgroundTaskRacesTest {

  private static final Duration PAUSE = Duration.ofHours(1);

  /** Begins no turn at once only if a wake was lost: the next one is due in an hour. */
  private abstract static class Turns implements Scenario {

    final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private volatile boolean overlap;
    final BackgroundTask task =
        new BackgroundTask(
            "task",
            PAUSE,
            new Outage(LoggerFactory.getLogger(BackgroundTaskRacesTest.class), "A turn", "none"),
            this::turn);

    @Override
    public final void run() throws InterruptedException {
      try {
        steps();
      } finally {
        task.close();
      }
    }

    abstract void steps() throws InterruptedException;

    private void turn() {
      begun.incrementAndGet();
      overlap |= running.incrementAndGet() > 1;
      running.decrementAndGet();
    }

    void wakeAndAwaitATurn() throws InterruptedException {
      int before = begun.get();
      task.wake();
      Races.settle();
      Races.check(begun.get() > before, "no turn began after the wake");
    }

    void close() throws InterruptedException {
      Races.soon(task::close);
      int last = begun.get();
      Races.check(running.get() == 0, "a turn runs after close");
      Races.check(!overlap, "two turns overlap");
      Races.settle();
      Races.check(begun.get() == last, "a turn began after close");
    }
  }

  static final class Wake extends Turns {

    @Override
    void steps() throws InterruptedException {
      task.start();
      wakeAndAwaitATurn();
      close();
    }
  }

  static final class WakeTwice extends Turns {

    @Override
    void steps() throws InterruptedException {
      task.start();
      Thread other = Thread.ofPlatform().start(task::wake);
      wakeAndAwaitATurn();
      other.join();
      close();
    }
  }

  static final class Restart extends Turns {

    @Override
    void steps() throws InterruptedException {
      task.start();
      task.close(Duration.ZERO);
      task.start();
      wakeAndAwaitATurn();
      close();
    }
  }

  static final class CloseWhileStarting extends Turns {

    @Override
    void steps() throws InterruptedException {
      Thread other = Thread.ofPlatform().start(task::start);
      task.close();
      other.join();
      close();
    }
  }

  @Test
  void aWakeEndsThePauseOrTheNextOne() {
    Races.explore(Wake.class, 300);
    Races.explore(WakeTwice.class, 300);
  }

  @Test
  void aWakeAfterARestartIsForTheNewThread() {
    Races.explore(Restart.class, 500);
  }

  @Test
  void noTurnRunsAfterClose() {
    Races.explore(CloseWhileStarting.class, 300);
  }

  @Test
  void findsAWakeThatNotifiesNobody() {
    Races.find(Wake.class, 300, Mutation.withoutCall(BackgroundTask.class, "wake", "signalAll"));
  }

  @Test
  void findsAWakeThatIsForgottenDuringATurn() {
    Races.find(Wake.class, 300, Mutation.withoutWrite(BackgroundTask.class, "wake", "woken"));
  }
}
