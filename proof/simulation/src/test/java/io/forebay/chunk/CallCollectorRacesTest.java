/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallCollectorRacesTest {

  /** Time stands still, so that no chunk is sent because its calls waited for long. */
  private static final class NoTicks implements Ticker {

    private volatile Runnable tick = () -> {};

    @Override
    public long nanos() {
      return 0;
    }

    @Override
    public Runnable start(Runnable given) {
      tick = given;
      return () -> {};
    }
  }

  private abstract static class Calls implements Scenario {

    final AtomicInteger performed = new AtomicInteger();
    final NoTicks ticker = new NoTicks();
    final CallCollector collector = new CallCollector(ticker);
    final ChunkedService<Integer, Integer> doubles =
        collector.service(
            "doubles",
            ChunkFunction.inOrder(this::perform),
            ChunkOptions.defaults().withMaxInFlight(1).withLinger(Duration.ofDays(1)));

    private List<Integer> perform(List<Integer> arguments) {
      performed.addAndGet(arguments.size());
      return arguments.stream().map(it -> 2 * it).toList();
    }

    List<Future<Integer>> start(int bodies, int calls) {
      List<Callable<Integer>> started = new ArrayList<>();
      for (int i = 1; i <= bodies; i++) {
        int first = i;
        int count = Math.min(i, calls);
        started.add(() -> {
          int value = first;
          for (int call = 0; call < count; call++) {
            value = doubles.call(value);
          }
          return value;
        });
      }
      return collector.startAll(started);
    }
  }

  /** One body makes one call, another two: the last call is sent although nobody else waits. */
  static final class FlushWhenAllWait extends Calls {

    @Override
    public void run() throws Exception {
      List<Future<Integer>> results = start(2, 2);
      Races.check(results.get(0).get() == 2, "a wrong result");
      Races.check(results.get(1).get() == 8, "a wrong result");
      Races.check(performed.get() == 3, "calls were performed: " + performed.get());
      collector.close();
    }
  }

  static final class CloseWhileCalling extends Calls {

    @Override
    public void run() throws Exception {
      List<Future<Integer>> results = start(2, 2);
      collector.close();
      Races.check(results.get(0).get() == 2, "a wrong result");
      Races.check(results.get(1).get() == 8, "a wrong result");
    }
  }

  static final class AbortWhileCalling extends Calls {

    @Override
    public void run() throws Exception {
      List<Future<Integer>> results = start(2, 1);
      collector.abort();
      for (Future<Integer> result : results) {
        try {
          Races.check(result.get() > 0, "a wrong result");
        } catch (ExecutionException e) {
          Races.check(e.getCause() instanceof CallFailed, "failed with " + e.getCause());
        } catch (CancellationException _) {
          // the body was interrupted
        }
      }
    }
  }

  /** A body is interrupted: the call of the other one is sent all the same. */
  static final class InterruptWhileCalling extends Calls {

    @Override
    public void run() throws Exception {
      List<Future<Integer>> results = start(2, 1);
      results.get(0).cancel(true);
      Races.check(results.get(1).get() == 4, "a wrong result");
      collector.close();
      Races.check(collector.figures().waiting() == 0, "a caller is still counted");
    }
  }

  /** The clock ticks while calls come and go. */
  static final class TickWhileCalling extends Calls {

    @Override
    public void run() throws Exception {
      Thread ticking = Thread.ofPlatform().start(() -> ticker.tick.run());
      List<Future<Integer>> results = start(2, 1);
      Races.check(results.get(0).get() == 2, "a wrong result");
      Races.check(results.get(1).get() == 4, "a wrong result");
      ticking.join();
      collector.close();
      Races.check(performed.get() == 2, "calls were performed: " + performed.get());
    }
  }

  static final class CallFromOutside extends Calls {

    @Override
    public void run() throws Exception {
      List<Future<Integer>> results = start(1, 1);
      Races.check(doubles.call(5) == 10, "a wrong result");
      Races.check(results.get(0).get() == 2, "a wrong result");
      collector.close();
    }
  }

  @Test
  void theLastCallsAreSentWhenAllBodiesWait() {
    Races.explore(FlushWhenAllWait.class, 300);
    Races.explore(CallFromOutside.class, 200);
    Races.explore(InterruptWhileCalling.class, 200);
    Races.explore(TickWhileCalling.class, 200);
  }

  @Test
  void allCallsAreAnsweredWhenTheCollectorIsClosedOrAborted() {
    Races.explore(CloseWhileCalling.class, 200);
    Races.explore(AbortWhileCalling.class, 200);
  }

  @Test
  void findsABodyThatEndsWithoutSendingTheCallsOfTheOthers() {
    Races.find(
        FlushWhenAllWait.class,
        300,
        Mutation.withoutCall(CollectorMonitor.class, "ended", "forEach"));
  }

  @Test
  void findsCallsThatAreCountedWithoutTheLock() {
    Races.find(
        FlushWhenAllWait.class,
        2_000,
        Mutation.withoutCall(CollectorMonitor.class, "enter", "lock|unlock"));
  }
}
