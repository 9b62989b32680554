/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Thousands of bodies with chained calls of several services that answer in any order, from any
 * thread, fail calls and whole chunks, while bodies are interrupted and others are started. Each
 * call must return its own result or fail for its own reason. The clock does not advance, so
 * anything that waits for the ticker hangs.
 */
@Timeout(600)
class CollectorStressTest {

  private static final int SERVICES = 3;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void everyCallGetsItsOwnResultOrFailure(long seed) throws Exception {
    Random random = new Random(seed);
    CallCollector collector = new CallCollector(new ManualTicker());
    Set<String> performed = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    List<ChunkedService<String, String>> services = new ArrayList<>();
    for (int i = 0; i < SERVICES; i++) {
      String name = "service" + i;
      ChunkOptions options =
          ChunkOptions.defaults()
              .withMaxItems(1 + random.nextInt(100))
              .withMaxInFlight(1 + random.nextInt(5))
              .withMaxBytes(100 + random.nextInt(2_000))
              .withTimeout(Duration.ofDays(1));
      AtomicInteger inFlight = new AtomicInteger();
      services.add(
          collector.service(
              name,
              arguments -> {
                arguments.forEach(it -> twice.addAndGet(performed.add(name + it) ? 0 : 1));
                assertThat(inFlight.incrementAndGet()).isLessThanOrEqualTo(options.maxInFlight());
                assertThat(arguments).hasSizeLessThanOrEqualTo(options.maxItems());
                assertThat(arguments.stream().mapToInt(String::length).sum())
                    .isLessThanOrEqualTo((int) options.maxBytes());
                return answer(name, arguments, inFlight);
              },
              options,
              String::length));
    }
    for (int round = 0; round < 3; round++) {
      List<Callable<Integer>> callables = new ArrayList<>();
      for (int i = 0; i < 3_000; i++) {
        String item = "r%d-i%d".formatted(round, i);
        int[] route = random.ints(random.nextInt(6), 0, SERVICES).toArray();
        callables.add(() -> body(services, item, route));
      }
      List<Future<Integer>> bodies = collector.startAll(callables);
      Set<Integer> cancelled = new HashSet<>();
      for (int i = 0; i < 50; i++) {
        int victim = random.nextInt(bodies.size());
        cancelled.add(victim);
        bodies.get(victim).cancel(true);
      }
      for (int i = 0; i < bodies.size(); i++) {
        if (!cancelled.contains(i)) {
          bodies.get(i).get(120, SECONDS);
        }
      }
    }
    collector.close();
    CollectorFigures figures = collector.figures();
    assertThat(figures.live()).isZero();
    assertThat(figures.waiting()).isZero();
    assertThat(twice).hasValue(0);
    for (ServiceFigures service : figures.services()) {
      assertThat(service.pending()).isZero();
      assertThat(service.results() + service.failures()).isEqualTo(service.calls());
      assertThat(service.sent()).isBetween(service.results(), service.calls());
      assertThat(service.fillRatio()).isBetween(0.0, 1.0);
    }
    assertThat(figures.services().stream().mapToLong(ServiceFigures::sent).sum())
        .isEqualTo(performed.size());
  }

  /** Calls services in turn, and checks each answer. */
  private static int body(List<ChunkedService<String, String>> services, String item, int[] route) {
    int results = 0;
    for (int step = 0; step < route.length; step++) {
      String argument = item + "-s" + step;
      ChunkedService<String, String> service = services.get(route[step]);
      try {
        assertThat(service.call(argument)).isEqualTo(expected(service.name(), argument));
        assertThat(isRefused(service.name(), argument)).isFalse();
        results++;
      } catch (CallFailed e) {
        switch (e.reason()) {
          case FAILED -> {
            assertThat(isRefused(service.name(), argument)).isTrue();
            assertThat(e.getCause()).hasMessage(argument);
          }
          case CHUNK_FAILED -> assertThat(e.getCause()).hasMessage("chunk");
          case INTERRUPTED -> {
            return results;
          }
          default -> throw e;
        }
      }
    }
    return results;
  }

  private static String expected(String service, String argument) {
    return service + " of " + argument;
  }

  private static boolean isRefused(String service, String argument) {
    return (service + argument).hashCode() % 50 == 0;
  }

  private static CompletionStage<List<Reply<String>>> answer(
      String service, List<String> arguments, AtomicInteger inFlight) {
    List<Reply<String>> replies = new ArrayList<>();
    for (String argument : arguments) {
      int index = replies.size();
      replies.add(
          isRefused(service, argument)
              ? new Reply.Failure<>(index, new Exception(argument))
              : new Reply.Result<>(index, expected(service, argument)));
    }
    Collections.shuffle(replies, new Random(arguments.hashCode()));
    boolean fails = arguments.hashCode() % 20 == 0;
    CompletableFuture<List<Reply<String>>> stage = new CompletableFuture<>();
    Runnable completing =
        () -> {
          inFlight.decrementAndGet();
          if (fails) {
            stage.completeExceptionally(new Exception("chunk"));
          } else {
            stage.complete(replies);
          }
        };
    switch (ThreadLocalRandom.current().nextInt(3)) {
      case 0 -> completing.run();
      case 1 -> Thread.ofVirtual().start(completing);
      default -> Thread.ofPlatform().start(completing);
    }
    return stage;
  }
}
