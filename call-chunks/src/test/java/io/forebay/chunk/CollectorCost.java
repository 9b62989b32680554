/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the nanoseconds per call of a service that takes no time: through the collector, and in
 * a hand-written loop that knows the number of calls. Two chained calls per body, 5,000 bodies at
 * once, in alternating rounds; prints the medians. Run it as a program.
 */
final class CollectorCost {

  private static final int BODIES = 5_000;
  private static final int CHUNK = 100;
  private static final int SETS = 40;
  private static final int ROUNDS = 15;

  private CollectorCost() {}

  public static void main(String[] args) throws Exception {
    double[] collected = new double[ROUNDS];
    double[] byHand = new double[ROUNDS];
    for (int i = -5; i < ROUNDS; i++) {
      double one = nanosPerCall(CollectorCost::throughCollector);
      double other = nanosPerCall(CollectorCost::byHand);
      if (i >= 0) {
        collected[i] = one;
        byHand[i] = other;
      }
    }
    System.out.printf(
        "collector %.0f ns per call, by hand %.0f ns%n", median(collected), median(byHand));
  }

  private interface Run {
    void run() throws Exception;
  }

  private static double nanosPerCall(Run run) throws Exception {
    long begin = System.nanoTime();
    run.run();
    return (double) (System.nanoTime() - begin) / BODIES / SETS / 2;
  }

  private static void throughCollector() throws Exception {
    try (Collector collector = new Collector(Ticker.every(Duration.ofMillis(10)))) {
      ChunkOptions options = ChunkOptions.defaults().withMaxItems(CHUNK);
      ChunkedService<Integer, Integer> one =
          collector.service("one", ChunkFunction.inOrder(CollectorTest::tenfold), options);
      ChunkedService<Integer, Integer> two =
          collector.service("two", ChunkFunction.inOrder(CollectorTest::tenfold), options);
      for (int set = 0; set < SETS; set++) {
        List<Callable<Integer>> bodies = new ArrayList<>();
        for (int i = 0; i < BODIES; i++) {
          int argument = i;
          bodies.add(() -> two.call(one.call(argument)));
        }
        int i = 0;
        for (Future<Integer> body : collector.startAll(bodies)) {
          check(body.get(), i++);
        }
      }
      if (collector.figures().service("two").fillRatio() < 0.999) {
        throw new IllegalStateException("chunks were not full: " + collector.figures());
      }
    }
  }

  private static void byHand() throws Exception {
    for (int set = 0; set < SETS; set++) {
      FixedChunks one = new FixedChunks();
      FixedChunks two = new FixedChunks();
      int[] results = new int[BODIES];
      CountDownLatch ended = new CountDownLatch(BODIES);
      for (int i = 0; i < BODIES; i++) {
        int argument = i;
        Thread.ofVirtual()
            .start(() -> {
              results[argument] = two.call(one.call(argument));
              ended.countDown();
            });
      }
      ended.await();
      for (int i = 0; i < BODIES; i++) {
        check(results[i], i);
      }
    }
  }

  /** Chunks of a fixed size, whose number of calls must be a multiple of it. */
  private static final class FixedChunks {

    private List<Waiter> chunk = new ArrayList<>(CHUNK);

    private static final class Waiter {
      final Thread thread = Thread.currentThread();
      final int argument;
      int result;
      volatile boolean done;

      Waiter(int argument) {
        this.argument = argument;
      }
    }

    int call(int argument) {
      Waiter waiter = new Waiter(argument);
      List<Waiter> full = null;
      synchronized (this) {
        chunk.add(waiter);
        if (chunk.size() == CHUNK) {
          full = chunk;
          chunk = new ArrayList<>(CHUNK);
        }
      }
      if (full != null) {
        List<Waiter> leaving = full;
        Thread.ofVirtual().start(() -> perform(leaving));
      }
      while (!waiter.done) {
        LockSupport.park();
      }
      return waiter.result;
    }

    private static void perform(List<Waiter> waiters) {
      List<Integer> results =
          CollectorTest.tenfold(waiters.stream().map(it -> it.argument).toList());
      for (int i = 0; i < waiters.size(); i++) {
        Waiter waiter = waiters.get(i);
        waiter.result = results.get(i);
        waiter.done = true;
        LockSupport.unpark(waiter.thread);
      }
    }
  }

  private static void check(int result, int argument) {
    if (result != 100 * argument) {
      throw new IllegalStateException("wrong result %d to %d".formatted(result, argument));
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
