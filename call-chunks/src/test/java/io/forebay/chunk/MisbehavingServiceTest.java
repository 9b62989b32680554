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
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The results of callers when a service misbehaves. No caller ever hangs. */
@Timeout(600)
class MisbehavingServiceTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final ManualTicker ticker = new ManualTicker();
  private final CallCollector collector = new CallCollector(ticker);
  private final HeldService held = new HeldService();
  private final ChunkOptions options =
      ChunkOptions.defaults().withMaxItems(5).withTimeout(TIMEOUT).withMaxInFlight(1);

  @Test
  void repliesInAnyOrderGoToTheirCallers() throws Exception {
    List<Future<Integer>> bodies = fiveCalls(held);
    HeldService.Held chunk = held.next();
    chunk.answer().complete(chunk.replies().reversed());
    assertThat(CallCollectorTest.results(bodies)).containsExactly(0, 10, 20, 30, 40);
  }

  @Test
  void aFailureOfOneCallAffectsOnlyItsCaller() throws Exception {
    Exception refusal = new IllegalStateException("no such customer");
    List<Future<Integer>> bodies = fiveCalls(held);
    HeldService.Held chunk = held.next();
    List<Reply<Integer>> replies = chunk.replies();
    int index = chunk.arguments().indexOf(3);
    replies.set(index, new Reply.Failure<>(index, refusal));
    chunk.answer().complete(replies);
    CallFailed failed = failure(bodies.remove(3));
    assertThat(failed.reason()).isEqualTo(Reason.FAILED);
    assertThat(failed).hasCause(refusal).hasMessage("service held: the service failed this call");
    assertThat(CallCollectorTest.results(bodies)).containsExactly(0, 10, 20, 40);
    ServiceFigures figures = collector.figures().service("held");
    assertThat(figures.results()).isEqualTo(4);
    assertThat(figures.failures()).isEqualTo(1);
  }

  @Test
  void onlyTheCallWithoutAReplyFails() throws Exception {
    List<Future<Integer>> bodies = fiveCalls(held);
    HeldService.Held chunk = held.next();
    int index = chunk.arguments().indexOf(2);
    chunk.answer().complete(chunk.replies().stream().filter(it -> it.index() != index).toList());
    CallFailed failed = failure(bodies.remove(2));
    assertThat(failed.reason()).isEqualTo(Reason.NOT_ANSWERED);
    assertThat(failed.sent()).isTrue();
    assertThat(CallCollectorTest.results(bodies)).containsExactly(0, 10, 30, 40);
  }

  @Test
  void repliesThatCannotBeMatchedFailTheChunk() throws Exception {
    assertAllFail(
        replies -> replies.add(new Reply.Result<>(5, 0)),
        "a reply has the index 5; 0 to 4 are allowed");
    assertAllFail(replies -> replies.add(new Reply.Result<>(4, 0)), "two replies have the index 4");
    assertAllFail(replies -> replies.set(1, null), "a reply is null");
  }

  @Test
  void fewerOrMoreResultsInOrderFailTheChunk() throws Exception {
    for (int size : new int[] {4, 6}) {
      List<Future<Integer>> bodies =
          fiveCalls("size" + size, ChunkFunction.inOrder(it -> Collections.nCopies(size, 1)));
      for (Future<Integer> body : bodies) {
        CallFailed failed = failure(body);
        assertThat(failed.reason()).isEqualTo(Reason.INVALID_REPLY);
        assertThat(failed).hasMessageContaining(size + " results for 5 calls");
      }
    }
  }

  @Test
  void anExceptionOfAFunctionIsTheCauseForEveryCaller() throws Exception {
    IOException broken = new IOException("connection reset");
    List<CallFailed> seen = new ArrayList<>();
    for (Future<Integer> body :
        fiveCalls(arguments -> {
          throw broken;
        })) {
      seen.add(failure(body));
    }
    assertThat(seen)
        .doesNotHaveDuplicates()
        .allSatisfy(it -> {
          assertThat(it.reason()).isEqualTo(Reason.CHUNK_FAILED);
          assertThat(it.getCause()).isSameAs(broken);
          assertThat(it.getStackTrace()).anyMatch(e -> e.getMethodName().equals("call"));
        });
  }

  @Test
  void aFunctionThatDiesOfAnErrorFailsItsChunkAndTheNextOneIsPerformed() throws Exception {
    CountDownLatch died = new CountDownLatch(1);
    ChunkedService<Integer, Integer> service =
        collector.service(
            "dying",
            arguments -> {
              if (died.getCount() > 0) {
                died.countDown();
                throw new StackOverflowError();
              }
              return ChunkFunction.<Integer, Integer>inOrder(CallCollectorTest::tenfold)
                  .perform(arguments);
            },
            options);
    assertThatThrownBy(() -> service.call(1)).hasCauseInstanceOf(StackOverflowError.class);
    assertThat(service.call(2)).isEqualTo(20);
  }

  @Test
  void aStageThatFailsOrIsNullFailsTheChunk() throws Exception {
    List<Future<Integer>> bodies = fiveCalls(held);
    IOException broken = new IOException("connection reset");
    held.next().answer().completeExceptionally(new CompletionException(broken));
    for (Future<Integer> body : bodies) {
      assertThat(failure(body).getCause()).isSameAs(broken);
    }
    for (Future<Integer> body : fiveCalls("null", arguments -> null)) {
      assertThat(failure(body).reason()).isEqualTo(Reason.CHUNK_FAILED);
    }
  }

  @Test
  void aChunkThatIsNeverAnsweredTimesOutAndTheNextOneIsSent() throws Exception {
    ChunkedService<Integer, Integer> service = collector.service("held", held, options);
    List<Future<Integer>> bodies = collector.startAll(CallCollectorTest.calling(service, 10));
    HeldService.Held lost = held.next();
    await().until(() -> collector.figures().waiting() == 10);
    ticker.advance(TIMEOUT.minusMillis(1));
    assertThat(collector.figures().waiting()).isEqualTo(10);
    ticker.advance(Duration.ofMillis(1));
    HeldService.Held next = held.next();
    assertThat(next.arguments()).hasSize(5).doesNotContainAnyElementsOf(lost.arguments());
    next.succeed();
    for (int i = 0; i < 10; i++) {
      if (lost.arguments().contains(i)) {
        CallFailed failed = failure(bodies.get(i));
        assertThat(failed.reason()).isEqualTo(Reason.TIMED_OUT);
        assertThat(failed).hasMessageContaining("timeout=30 s");
      } else {
        assertThat(bodies.get(i).get(120, SECONDS)).isEqualTo(10 * i);
      }
    }
    await().until(lost.answer()::isCancelled);
    assertThat(collector.figures().service("held").timedOut()).isEqualTo(1);
  }

  @Test
  void aFunctionThatBlocksForEverIsInterruptedAndItsLateAnswerDiscarded() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    ChunkedService<Integer, Integer> service =
        collector.service(
            "slow",
            ChunkFunction.inOrder(arguments -> {
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              return CallCollectorTest.tenfold(arguments);
            }),
            options);
    List<Future<Integer>> bodies = collector.startAll(CallCollectorTest.calling(service, 5));
    await().until(() -> collector.figures().service("slow").inFlight() == 1);
    ticker.advance(TIMEOUT);
    for (Future<Integer> body : bodies) {
      assertThat(failure(body).reason()).isEqualTo(Reason.TIMED_OUT);
    }
    assertThat(interrupted.await(120, SECONDS)).isTrue();
    await().until(() -> collector.figures().service("slow").late() == 1);
    assertThat(collector.figures().service("slow").results()).isZero();
  }

  @Test
  void aSlowChunkDoesNotHoldUpTheOthers() throws Exception {
    ChunkedService<Integer, Integer> service =
        collector.service("held", held, options.withMaxInFlight(2));
    List<Future<Integer>> bodies = collector.startAll(CallCollectorTest.calling(service, 20));
    HeldService.Held slow = held.next();
    for (int i = 0; i < 3; i++) {
      held.next().succeed();
    }
    slow.succeed();
    assertThat(CallCollectorTest.results(bodies)).hasSize(20);
  }

  @Test
  void aCallInAChunkFunctionIsRefused() throws Exception {
    ChunkedService<Integer, Integer> inner = collector.service("inner", held, options);
    ChunkedService<Integer, Integer> outer =
        collector.service(
            "outer", ChunkFunction.inOrder(arguments -> List.of(inner.call(1))), options);
    assertThatThrownBy(() -> outer.call(1))
        .isInstanceOf(CallFailed.class)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "the chunk function of service outer called service inner; only bodies may call services");
  }

  private interface Damage {
    void to(List<Reply<Integer>> replies);
  }

  private void assertAllFail(Damage damage, String message) throws Exception {
    List<Future<Integer>> bodies = fiveCalls("held: " + message, held);
    HeldService.Held chunk = held.next();
    List<Reply<Integer>> replies = chunk.replies();
    damage.to(replies);
    chunk.answer().complete(replies);
    for (Future<Integer> body : bodies) {
      CallFailed failed = failure(body);
      assertThat(failed.reason()).isEqualTo(Reason.INVALID_REPLY);
      assertThat(failed).hasMessageContaining(message);
    }
  }

  private List<Future<Integer>> fiveCalls(ChunkFunction<Integer, Integer> function) {
    return fiveCalls("held", function);
  }

  private List<Future<Integer>> fiveCalls(String name, ChunkFunction<Integer, Integer> function) {
    ChunkedService<Integer, Integer> service = collector.service(name, function, options);
    return new ArrayList<>(collector.startAll(CallCollectorTest.calling(service, 5)));
  }

  static CallFailed failure(Future<?> body) throws Exception {
    try {
      body.get(120, SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(CallFailed.class);
      return (CallFailed) e.getCause();
    }
    throw new AssertionError("a call that must fail succeeded");
  }
}
