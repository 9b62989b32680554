/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import io.forebay.queue.Tailer;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ExpectingIdleRacesTest {

  /** A result is expected while the thread that reads results goes to sleep. */
  static final class Expect implements Scenario {

    private final AtomicInteger expected = new AtomicInteger();
    private final CountDownLatch woken = new CountDownLatch(1);
    private final ExpectingIdle idle = new ExpectingIdle(expected::get);

    @Override
    public void run() throws InterruptedException {
      Thread reader = Thread.ofPlatform().start(() -> idle.idle(1_000, sleeping()));
      expected.incrementAndGet();
      idle.expects();
      Races.soon(() -> join(reader));
    }

    private static void join(Thread thread) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    /** Sleeps until it is woken, but for a wait of at most 1 ms. */
    private Tailer sleeping() {
      return (Tailer)
          Proxy.newProxyInstance(
              Tailer.class.getClassLoader(),
              new Class<?>[] {Tailer.class},
              (_, method, arguments) -> {
                switch (method.getName()) {
                  case "wake" -> woken.countDown();
                  case "await" -> {
                    if (((Duration) arguments[0]).toMillis() > 1) {
                      woken.await();
                    }
                  }
                  default -> throw new UnsupportedOperationException(method.getName());
                }
                return null;
              });
    }
  }

  @Test
  void aThreadDoesNotSleepWhileAResultIsExpected() {
    Races.explore(Expect.class, 400);
  }

  @Test
  void findsAThreadThatIsNotWoken() {
    Races.find(Expect.class, 400, Mutation.withoutCall(ExpectingIdle.class, "expects", "wake"));
  }

  @Test
  void findsAThreadThatDoesNotLookAgain() {
    Races.find(Expect.class, 400, Mutation.withoutCall(ExpectingIdle.class, "idle", "getAsInt"));
  }
}
