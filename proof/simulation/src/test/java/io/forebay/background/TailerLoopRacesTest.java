/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TailerLoopRacesTest {

  /** A queue without messages, whose tailers wait for an hour unless they are woken. */
  private abstract static class Reading implements Scenario, TailerLoop.Reader {

    private static final Duration LONG = Duration.ofHours(1);

    final Set<Integer> open = ConcurrentHashMap.newKeySet();
    final Set<Integer> mustNotRead = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String wrong;
    private volatile int ends;
    final TailerLoop loop =
        new TailerLoop(
            "loop",
            queue(),
            this,
            (_, tailer) -> tailer.await(LONG),
            new Outage(LoggerFactory.getLogger(TailerLoopRacesTest.class), "Reading", "retried"));

    @Override
    public final void run() throws InterruptedException {
      try {
        steps();
      } finally {
        loop.close();
      }
    }

    abstract void steps() throws InterruptedException;

    @Override
    public void open(Tailer tailer, long resume) {
      if (!open.add(tailer.partition())) {
        wrong = "opened twice";
      }
    }

    @Override
    public int read(Tailer tailer) {
      if (mustNotRead.contains(tailer.partition())) {
        wrong = "read after revoked() returned";
      }
      return 0;
    }

    @Override
    public void ended(@Nullable RuntimeException failure) {
      ends++;
    }

    void isOpenSoon(int partition) throws InterruptedException {
      Races.settle();
      Races.check(open.contains(partition), "an assignment was not noticed");
    }

    void close() throws InterruptedException {
      Races.soon(loop::close);
      Races.check(open.isEmpty(), "a tailer is still open");
      Races.check(ends == 1, "ended() was not called once");
      Races.check(wrong == null, wrong);
    }

    private MessageQueue queue() {
      IntFunction<Tailer> followers = EmptyTailer::new;
      return (MessageQueue)
          Proxy.newProxyInstance(
              MessageQueue.class.getClassLoader(),
              new Class<?>[] {MessageQueue.class},
              (_, method, _) ->
                  switch (method.getName()) {
                    case "followers" -> followers;
                    case "partitions" -> 2;
                    case "shared" -> false;
                    default -> throw new UnsupportedOperationException(method.getName());
                  });
    }

    /** Its wait does not end because its thread is unparked. */
    private final class EmptyTailer implements Tailer {

      private final int partition;
      private final ReentrantLock lock = new ReentrantLock();
      private final Condition wakes = lock.newCondition();
      private boolean woken;

      EmptyTailer(int partition) {
        this.partition = partition;
      }

      @Override
      public void await(Duration atMost) {
        lock.lock();
        try {
          long left = atMost.toNanos();
          while (!woken && left > 0) {
            left = wakes.awaitNanos(left);
          }
          woken = false;
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        } finally {
          lock.unlock();
        }
      }

      @Override
      public void wake() {
        lock.lock();
        try {
          woken = true;
          wakes.signal();
        } finally {
          lock.unlock();
        }
      }

      @Override
      public int partition() {
        return partition;
      }

      @Override
      public long position() {
        return 0;
      }

      @Override
      public void seek(long position) {}

      @Override
      public long end() {
        return 0;
      }

      @Override
      public void toStart() {}

      @Override
      public void toEnd() {}

      @Override
      public int poll(int max, MessageHandler handler) {
        return 0;
      }

      @Override
      public void close() {
        open.remove(partition);
      }
    }
  }

  static final class Revoke extends Reading {

    @Override
    void steps() throws InterruptedException {
      loop.assigned(0);
      loop.start();
      Races.soon(() -> loop.revoked(0));
      mustNotRead.add(0);
      Races.check(!open.contains(0), "still open after revoked() returned");
      close();
    }
  }

  static final class RevokeOneOfTwo extends Reading {

    @Override
    void steps() throws InterruptedException {
      loop.startAll();
      Races.soon(() -> loop.revoked(0));
      mustNotRead.add(0);
      Races.check(!open.contains(0), "still open after revoked() returned");
      isOpenSoon(1);
      mustNotRead.remove(0);
      loop.assigned(0);
      isOpenSoon(0);
      close();
    }
  }

  static final class Assign extends Reading {

    @Override
    void steps() throws InterruptedException {
      loop.assigned(0);
      loop.start();
      isOpenSoon(0);
      loop.assigned(1);
      isOpenSoon(1);
      close();
    }
  }

  static final class RevokeAndClose extends Reading {

    @Override
    void steps() throws InterruptedException {
      loop.startAll();
      Thread other =
          Thread.ofPlatform()
              .start(() -> {
                loop.revoked(0);
                loop.lost(1);
              });
      close();
      other.join();
    }
  }

  @Test
  void aRevokedPartitionIsClosedBeforeRevokedReturns() {
    Races.explore(Revoke.class, 500);
    Races.explore(RevokeOneOfTwo.class, 300);
  }

  @Test
  void anAssignmentAndACloseEndTheWaitForMessages() {
    Races.explore(Assign.class, 300);
    Races.explore(RevokeAndClose.class, 300);
  }

  @Test
  void findsAnAssignmentThatDoesNotWakeTheTailer() {
    Races.find(Assign.class, 300, Mutation.withoutWrite(TailerLoop.class, "idle", "waiting"));
  }

  @Test
  void findsAChangeThatIsNotLookedForBeforeWaiting() {
    Races.find(Revoke.class, 300, Mutation.withoutWrite(TailerLoop.class, "revoked", "changed"));
  }
}
