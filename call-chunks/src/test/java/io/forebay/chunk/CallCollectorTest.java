/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import static io.forebay.chunk.FlushReason.ALL_WAITING;
import static io.forebay.chunk.FlushReason.BYTES;
import static io.forebay.chunk.FlushReason.ITEMS;
import static io.forebay.chunk.FlushReason.TICKER;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * When chunks are sent, and the results of their callers. The clock advances only if a test moves
 * it.
 */
@Timeout(600)
class CallCollectorTest {

  private final ManualTicker ticker = new ManualTicker();
  private final CallCollector collector = new CallCollector(ticker);
  private final HeldService held = new HeldService();
  private final ChunkOptions tens = ChunkOptions.defaults().withMaxItems(10);

  @Test
  void aFullChunkIsSentAlthoughABodyIsBusy() throws Exception {
    ChunkedService<Integer, Integer> service = collector.service("tens", held, tens);
    CountDownLatch busy = new CountDownLatch(1);
    List<Future<Integer>> bodies = collector.startAll(calling(service, 10));
    Future<Integer> other =
        start(() -> {
          busy.await();
          return 1;
        });
    held.next().succeed();
    assertThat(results(bodies)).isEqualTo(IntStream.range(0, 10).map(i -> 10 * i).boxed().toList());
    assertThat(collector.figures().service("tens").chunks(ITEMS)).isEqualTo(1);
    busy.countDown();
    other.get(120, SECONDS);
  }

  @Test
  void theLastCallsAreSentWhenEveryLiveBodyWaits() throws Exception {
    ChunkedService<Integer, Integer> service = collector.service("tens", held, tens);
    List<Future<Integer>> bodies = collector.startAll(calling(service, 13));
    List<HeldService.Held> chunks = List.of(held.next(), held.next());
    assertThat(chunks).extracting(it -> it.arguments().size()).containsExactlyInAnyOrder(10, 3);
    chunks.forEach(HeldService.Held::succeed);
    results(bodies);
    ServiceFigures figures = collector.figures().service("tens");
    assertThat(figures.chunks(ITEMS)).isEqualTo(1);
    assertThat(figures.chunks(ALL_WAITING)).isEqualTo(1);
    assertThat(figures.fillRatio()).isEqualTo(13 / 20.0);
  }

  @Test
  void aChunkWaitsForABusyBodyAndIsSentWhenThatEndsWithoutACall() throws Exception {
    ChunkedService<Integer, Integer> service = collector.service("tens", held, tens);
    CountDownLatch busy = new CountDownLatch(1);
    List<Callable<Integer>> callables = new ArrayList<>(calling(service, 3));
    callables.add(() -> {
      busy.await();
      return -1;
    });
    List<Future<Integer>> bodies = collector.startAll(callables);
    await().until(() -> collector.figures().waiting() == 3);
    assertThat(collector.figures().service("tens").pending()).isEqualTo(3);
    busy.countDown();
    HeldService.Held chunk = held.next();
    assertThat(chunk.arguments()).containsExactlyInAnyOrder(0, 1, 2);
    chunk.succeed();
    results(bodies);
  }

  @Test
  void aBodyThatFailsIsNotWaitedForEither() throws Exception {
    ChunkedService<Integer, Integer> service = collector.service("tens", held, tens);
    Exception own = new Exception("of the body");
    List<Callable<Integer>> callables = new ArrayList<>(calling(service, 1));
    callables.add(() -> {
      throw own;
    });
    List<Future<Integer>> bodies = collector.startAll(callables);
    held.next().succeed();
    assertThat(bodies.get(0).get(120, SECONDS)).isZero();
    assertThatThrownBy(() -> bodies.get(1).get(120, SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isSameAs(own);
  }

  @Test
  void chainedCallsOfSeveralServicesAreSentInFullChunksWithoutTheTicker() throws Exception {
    ChunkOptions hundred = ChunkOptions.defaults().withMaxItems(100);
    ChunkedService<Integer, Integer> customers =
        collector.service("customers", ChunkFunction.inOrder(CallCollectorTest::tenfold), hundred);
    ChunkedService<Integer, Integer> addresses =
        collector.service("addresses", ChunkFunction.inOrder(CallCollectorTest::tenfold), hundred);
    List<Callable<Integer>> callables = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      int argument = i;
      callables.add(() -> addresses.call(customers.call(argument)));
    }
    List<Integer> expected = IntStream.range(0, 5_000).map(i -> 100 * i).boxed().toList();
    assertThat(results(collector.startAll(callables))).isEqualTo(expected);
    CollectorFigures figures = collector.figures();
    assertThat(figures.live()).isZero();
    assertThat(figures.waiting()).isZero();
    assertThat(figures.service("customers").fillRatio()).isEqualTo(1);
    assertThat(figures.service("addresses").fillRatio()).isEqualTo(1);
    assertThat(figures.service("addresses").chunks()).isEqualTo(50);
  }

  /** Woken callers count as running before they run; otherwise chunks of one call would be sent. */
  @Test
  void theFirstAnsweredCallOfAChunkDoesNotSendAChunkAlone() throws Exception {
    HeldService first = new HeldService();
    ChunkedService<Integer, Integer> one = collector.service("first", first, tens);
    ChunkedService<Integer, Integer> two =
        collector.service("second", held, tens.withMaxItems(1_000));
    List<Callable<Integer>> callables = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      int argument = i;
      callables.add(() -> two.call(one.call(argument)));
    }
    List<Future<Integer>> bodies = collector.startAll(callables);
    for (int i = 0; i < 4; i++) {
      first.next().succeed();
      HeldService.Held chained = held.next();
      assertThat(chained.arguments()).hasSize(10);
      chained.succeed();
    }
    results(bodies);
  }

  @Test
  void whenAllWaitPartlyFilledChunksOfAllServicesAreSent() throws Exception {
    HeldService other = new HeldService();
    ChunkedService<Integer, Integer> one = collector.service("one", held, tens);
    ChunkedService<Integer, Integer> two = collector.service("two", other, tens);
    List<Callable<Integer>> callables = new ArrayList<>(calling(one, 2));
    callables.addAll(calling(two, 3));
    List<Future<Integer>> bodies = collector.startAll(callables);
    HeldService.Held ofOne = held.next();
    HeldService.Held ofTwo = other.next();
    assertThat(ofOne.arguments()).hasSize(2);
    assertThat(ofTwo.arguments()).hasSize(3);
    ofOne.succeed();
    ofTwo.succeed();
    results(bodies);
  }

  @Test
  void theTickerSendsCallsThatHaveLingeredWhileABodyIsBusy() throws Exception {
    ChunkedService<Integer, Integer> service =
        collector.service("tens", held, tens.withLinger(Duration.ofMillis(50)));
    CountDownLatch busy = new CountDownLatch(1);
    List<Callable<Integer>> callables = new ArrayList<>(calling(service, 2));
    callables.add(() -> {
      busy.await();
      return -1;
    });
    List<Future<Integer>> bodies = collector.startAll(callables);
    await().until(() -> collector.figures().waiting() == 2);
    ticker.advance(Duration.ofMillis(49));
    assertThat(collector.figures().service("tens").chunks()).isZero();
    ticker.advance(Duration.ofMillis(1));
    held.next().succeed();
    assertThat(collector.figures().service("tens").chunks(TICKER)).isEqualTo(1);
    busy.countDown();
    results(bodies);
  }

  @Test
  void aChunkIsNeverLargerThanItsBytes() throws Exception {
    ChunkedService<Integer, Integer> service =
        collector.service("bytes", held, tens.withMaxBytes(100), argument -> argument);
    List<Future<Integer>> bodies = new ArrayList<>();
    List<Callable<Integer>> callables = new ArrayList<>();
    for (int bytes : new int[] {60, 60, 60, 100, 0}) {
      callables.add(() -> service.call(bytes));
    }
    bodies.addAll(collector.startAll(callables));
    int answered = 0;
    while (answered < 5) {
      HeldService.Held chunk = held.next();
      assertThat(chunk.arguments().stream().mapToInt(Integer::intValue).sum())
          .isLessThanOrEqualTo(100);
      answered += chunk.arguments().size();
      chunk.succeed();
    }
    results(bodies);
    assertThat(collector.figures().service("bytes").chunks(BYTES)).isBetween(3L, 4L);
    assertThatThrownBy(() -> service.call(101))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("service bytes: the argument has 101 bytes; 0 to maxBytes=100 are allowed");
  }

  @Test
  void limitsChunksInFlightWhileWaitingChunksFillUp() throws Exception {
    ChunkedService<Integer, Integer> service =
        collector.service("tens", held, tens.withMaxInFlight(2));
    List<Future<Integer>> bodies = collector.startAll(calling(service, 35));
    HeldService.Held one = held.next();
    HeldService.Held two = held.next();
    await().until(() -> collector.figures().waiting() == 35);
    assertThat(held.hasNone()).isTrue();
    assertThat(collector.figures().service("tens").inFlight()).isEqualTo(2);
    one.succeed();
    two.succeed();
    // Each has its own thread, so the last chunk may arrive before an earlier one.
    List<HeldService.Held> rest = List.of(held.next(), held.next());
    assertThat(rest).extracting(it -> it.arguments().size()).containsExactlyInAnyOrder(10, 5);
    rest.forEach(HeldService.Held::succeed);
    results(bodies);
  }

  @Test
  void aBodyStartedAloneDoesNotWaitForAClock() throws Exception {
    ChunkedService<Integer, Integer> service =
        collector.service("tens", ChunkFunction.inOrder(CallCollectorTest::tenfold), tens);
    for (int i = 0; i < 100; i++) {
      int argument = i;
      assertThat(start(() -> service.call(argument)).get(120, SECONDS)).isEqualTo(10 * i);
    }
  }

  @Test
  void aThreadThatIsNoBodyCallsAsOneThatWaits() throws Exception {
    ChunkedService<Integer, Integer> service =
        collector.service("tens", ChunkFunction.inOrder(CallCollectorTest::tenfold), tens);
    assertThat(service.call(7)).isEqualTo(70);
    assertThat(collector.figures().live()).isZero();
    // A thread started by a body is not that body, which waits for the thread and not in a call.
    Future<Integer> body =
        start(() -> {
          List<Integer> got = new ArrayList<>();
          Thread.ofVirtual().start(() -> got.add(service.call(8))).join();
          return got.getFirst();
        });
    await().until(() -> collector.figures().waiting() == 1);
    assertThat(collector.figures().live()).isEqualTo(2);
    ticker.advance(Duration.ofSeconds(1));
    assertThat(body.get(120, SECONDS)).isEqualTo(80);
  }

  @Test
  void aResultMayBeNull() {
    ChunkedService<Integer, Integer> service =
        collector.service(
            "tens", ChunkFunction.inOrder(it -> Collections.nCopies(it.size(), null)), tens);
    assertThat(service.call(7)).isNull();
  }

  @Test
  void theSystemsTickerTicksUntilTheCollectorIsClosed() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    try (CallCollector real = new CallCollector(Ticker.every(Duration.ofMillis(1)))) {
      ChunkedService<Integer, Integer> service =
          real.service(
              "tens",
              ChunkFunction.inOrder(CallCollectorTest::tenfold),
              tens.withLinger(Duration.ofMillis(1)));
      List<Callable<Integer>> callables = new ArrayList<>(calling(service, 1));
      callables.add(() -> {
        busy.await();
        return -1;
      });
      assertThat(real.startAll(callables).getFirst().get(120, SECONDS)).isZero();
      assertThat(tickers()).isPositive();
      busy.countDown();
    }
    await().until(() -> tickers() == 0);
  }

  private static long tickers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(it -> it.getName().equals("forebay-collector-ticker"))
        .count();
  }

  @Test
  void allInvalidOptionsAreReportedAtOnce() {
    assertThatThrownBy(() -> new ChunkOptions(0, 1, -1, Duration.ZERO, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxItems is 0, minimum 1; maxInFlight is -1, minimum 1;"
                + " linger is 0 s, it must be more than zero");
    assertThatThrownBy(() -> tens.withMaxInFlight(1_001))
        .hasMessage("maxInFlight is 1001, maximum 1000");
    collector.service("tens", held, tens);
    assertThatThrownBy(() -> collector.service("tens", held, tens))
        .hasMessage("the collector already has a service tens; names must be unique");
  }

  private <T> Future<T> start(Callable<T> body) {
    return collector.startAll(List.of(body)).getFirst();
  }

  static List<Callable<Integer>> calling(ChunkedService<Integer, Integer> service, int bodies) {
    List<Callable<Integer>> callables = new ArrayList<>();
    for (int i = 0; i < bodies; i++) {
      int argument = i;
      callables.add(() -> service.call(argument));
    }
    return callables;
  }

  static List<Integer> tenfold(List<Integer> arguments) {
    return arguments.stream().map(it -> 10 * it).toList();
  }

  static <T> List<T> results(List<Future<T>> bodies) throws Exception {
    List<T> results = new ArrayList<>();
    for (Future<T> body : bodies) {
      results.add(body.get(120, SECONDS));
    }
    return results;
  }
}
