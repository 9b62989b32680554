/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.chunk.CallFailed.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interrupted bodies, and the end of a collector. */
@Timeout(600)
class CollectorClosingTest {

  private final ManualTicker ticker = new ManualTicker();
  private final CallCollector collector = new CallCollector(ticker);
  private final HeldService held = new HeldService();
  private final ChunkedService<Integer, Integer> service =
      collector.service("held", held, ChunkOptions.defaults().withMaxItems(10).withMaxInFlight(1));

  @Test
  void anInterruptedBodyWithdrawsItsCallBeforeItLeaves() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CompletableFuture<CallFailed> seen = new CompletableFuture<>();
    List<Future<Integer>> bodies =
        collector.startAll(
            List.of(
                () -> recording(seen, 1),
                () -> service.call(2),
                () -> {
                  busy.await();
                  return 0;
                }));
    await().until(() -> collector.figures().waiting() == 2);
    bodies.get(0).cancel(true);
    CallFailed failed = seen.get(120, SECONDS);
    assertThat(failed.reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(failed.sent()).isFalse();
    busy.countDown();
    HeldService.Held chunk = held.next();
    assertThat(chunk.arguments()).containsExactly(2);
    chunk.succeed();
    assertThat(bodies.get(1).get(120, SECONDS)).isEqualTo(20);
    assertThat(collector.figures().service("held").sent()).isEqualTo(1);
  }

  @Test
  void anInterruptedBodyWhoseChunkWasSentContinuesAndTheOthersGetTheirResults() throws Exception {
    CompletableFuture<CallFailed> seen = new CompletableFuture<>();
    List<Future<Integer>> bodies =
        collector.startAll(List.of(() -> recording(seen, 1), () -> service.call(2)));
    HeldService.Held chunk = held.next();
    bodies.get(0).cancel(true);
    CallFailed failed = seen.get(120, SECONDS);
    assertThat(failed.reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(failed.sent()).isTrue();
    chunk.succeed();
    assertThat(bodies.get(1).get(120, SECONDS)).isEqualTo(20);
    await().until(() -> collector.figures().live() == 0);
    assertThat(collector.figures().waiting()).isZero();
  }

  @Test
  void thousandsOfInterruptedBodiesLeaveNothingBehind() throws Exception {
    List<Future<Integer>> bodies = collector.startAll(CallCollectorTest.calling(service, 5_000));
    HeldService.Held chunk = held.next();
    await().until(() -> collector.figures().waiting() == 5_000);
    bodies.forEach(it -> it.cancel(true));
    await().until(() -> collector.figures().live() == 0);
    assertThat(collector.figures().service("held").pending()).isZero();
    chunk.succeed();
    collector.startAll(CallCollectorTest.calling(service, 1));
    held.next().succeed();
    collector.close();
    assertThat(collector.figures().service("held").failures()).isEqualTo(5_000);
  }

  @Test
  void closeSendsPendingCallsWaitsForTheBodiesAndRefusesMore() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    List<Callable<Integer>> callables = new ArrayList<>(CallCollectorTest.calling(service, 2));
    callables.add(() -> {
      busy.await();
      return service.call(7);
    });
    List<Future<Integer>> bodies = collector.startAll(callables);
    await().until(() -> collector.figures().waiting() == 2);
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(collector::close, it -> Thread.ofVirtual().start(it));
    HeldService.Held first = held.next();
    assertThat(first.arguments()).hasSize(2);
    assertThat(collector.figures().service("held").chunks(FlushReason.CLOSE)).isEqualTo(1);
    assertThatThrownBy(() -> collector.startAll(List.of(() -> 1)))
        .hasMessage("the collector is closed; no body was started");
    first.succeed();
    assertThat(closed).isNotDone();
    busy.countDown();
    held.next().succeed();
    assertThat(CallCollectorTest.results(bodies)).containsExactly(0, 10, 70);
    closed.get(120, SECONDS);
    assertThat(ticker.isTicking()).isFalse();
    assertThatThrownBy(() -> service.call(1))
        .isInstanceOf(CallFailed.class)
        .hasMessage("service held: the collector is closed; the call was not sent");
    collector.close();
  }

  @Test
  void abortEndsEverythingAtOnce() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    List<Callable<Integer>> callables = new ArrayList<>();
    List<CompletableFuture<CallFailed>> seen = new ArrayList<>();
    for (int i = 0; i < 15; i++) {
      int argument = i;
      seen.add(new CompletableFuture<>());
      callables.add(() -> recording(seen.get(argument), argument));
    }
    callables.add(() -> {
      try {
        new CountDownLatch(1).await();
      } finally {
        interrupted.countDown();
      }
      return 0;
    });
    List<Future<Integer>> bodies = collector.startAll(callables);
    HeldService.Held chunk = held.next();
    await().until(() -> collector.figures().waiting() == 15);
    collector.abort();
    for (int i = 0; i < 15; i++) {
      CallFailed failed = seen.get(i).get(120, SECONDS);
      assertThat(failed.reason()).isEqualTo(Reason.CLOSED);
      assertThat(failed.sent()).isEqualTo(chunk.arguments().contains(i));
    }
    assertThat(interrupted.await(120, SECONDS)).isTrue();
    await().until(chunk.answer()::isCancelled);
    assertThatThrownBy(() -> bodies.getLast().get(120, SECONDS))
        .isInstanceOf(CancellationException.class);
    collector.close();
    await().until(() -> collector.figures().live() == 0);
    assertThat(collector.figures().waiting()).isZero();
  }

  @Test
  void anInterruptedCloseAborts() throws Exception {
    Future<Integer> body = collector.startAll(CallCollectorTest.calling(service, 1)).getFirst();
    held.next();
    CompletableFuture<Boolean> status = new CompletableFuture<>();
    Thread closing =
        Thread.ofVirtual()
            .start(() -> {
              collector.close();
              status.complete(Thread.currentThread().isInterrupted());
            });
    closing.interrupt();
    assertThat(status.get(120, SECONDS)).isTrue();
    await().until(body::isDone);
    await().until(() -> collector.figures().live() == 0);
  }

  @Test
  void aBodyThatClosesItsCollectorIsRefused() throws Exception {
    Future<Object> body =
        collector
            .startAll(
                List.of(
                    (Callable<Object>)
                        () -> {
                          collector.close();
                          return 1;
                        }))
            .getFirst();
    assertThatThrownBy(() -> body.get(120, SECONDS))
        .hasMessageContaining("cannot be closed by its bodies");
  }

  /** Records what the body saw, because the future of a cancelled body does not contain it. */
  private int recording(CompletableFuture<CallFailed> seen, int argument) {
    try {
      return service.call(argument);
    } catch (CallFailed e) {
      if (e.reason() == Reason.INTERRUPTED && !Thread.currentThread().isInterrupted()) {
        seen.completeExceptionally(new AssertionError("the interrupt status is lost"));
      }
      seen.complete(e);
      throw e;
    }
  }
}
