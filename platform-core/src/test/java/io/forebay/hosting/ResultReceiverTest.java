/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import io.forebay.call.NoEvents;
import io.forebay.call.Protocol;
import io.forebay.call.ResultUnknown;
import io.forebay.call.Writer;
import io.forebay.queue.ErrorsInThreads;
import io.forebay.queue.LateAcknowledgements;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults while results are received, and callers that give up; the rest is in the contract. */
class ResultReceiverTest {

  /** Its reader fails with an error. */
  record Broken(String error) {

    Broken {
      if (StackWalker.getInstance()
          .walk(frames -> frames.anyMatch(it -> it.getClassName().endsWith("ValueReader")))) {
        throw error.equals("memory") ? new OutOfMemoryError("test") : new StackOverflowError();
      }
    }
  }

  interface Stock {
    CompletableFuture<Long> count(String item);

    CompletableFuture<Broken> broken(String error);
  }

  private static final Protocol<Stock> STOCK = Protocol.of(Stock.class);

  private final MemoryBackend backend = MemoryBackend.open();
  private final ErrorsInThreads errors = new ErrorsInThreads("forebay-stock.out-results");
  private final LateAcknowledgements late = new LateAcknowledgements();
  private final ServiceQueues queues = ServiceQueues.open(errors.over(backend), "stock", 1);
  private final HostedService<Stock, NoEvents> service =
      new HostedService<>(
          new Service<>(
              "stock",
              new Service.End<>(queues.in(), STOCK),
              new Service.End<>(queues.out(), Protocol.of(NoEvents.class)),
              (_, _) ->
                  new Stock() {
                    @Override
                    public CompletableFuture<Long> count(String item) {
                      return CompletableFuture.completedFuture((long) item.length());
                    }

                    @Override
                    public CompletableFuture<Broken> broken(String error) {
                      return CompletableFuture.completedFuture(new Broken(error));
                    }
                  },
              ServiceOptions.defaults(),
              HostedProgress.none(),
              null));
  private final ResultReceiver<Stock> results =
      new ResultReceiver<>(STOCK, queues.out(), Duration.ofHours(72));
  private final Writer<Stock> writer = STOCK.writer(queues.in(), results.pending());

  @AfterEach
  void close() {
    writer.close();
    results.close();
    service.close();
    backend.close();
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(120, TimeUnit.SECONDS);
  }

  @Test
  void aCallFailsIfAnswersWereDeletedAndNoneIsLeft() {
    CompletableFuture<Long> waiting = writer.calls().count("tea");
    errors.next(new PositionOutOfRange("stock.out", 0, 0, 7, 7));

    assertThatThrownBy(() -> get(waiting)).cause().isInstanceOf(ResultUnknown.class);
    assertThat(results.pending().size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "stack"})
  void anErrorWhileAResultIsDecodedFailsItsCallAlone(String error) throws Exception {
    CompletableFuture<Broken> broken = writer.calls().broken(error);
    CompletableFuture<Long> next = writer.calls().count("tea");
    service.start();

    assertThatThrownBy(() -> get(broken))
        .hasRootCauseInstanceOf(VirtualMachineError.class)
        .cause()
        .isInstanceOf(ResultUnknown.class);
    assertThat(get(next)).isEqualTo(3);
  }

  @Test
  void anErrorWhileResultsAreReadDelaysThem() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    errors.hold(answered);
    errors.next(new OutOfMemoryError("test"));
    CompletableFuture<Long> waiting = writer.calls().count("tea");
    service.start();
    await().until(() -> service.position(0) == 1);
    answered.countDown();

    assertThat(get(waiting)).isEqualTo(3);
    assertThat(errors.isThrown()).isTrue();
  }

  @Test
  void aCallAfterTheEndIsRefusedBecauseItIsClosed() {
    results.close();

    assertThatThrownBy(() -> writer.calls().count("tea"))
        .asInstanceOf(type(QueueRefused.class))
        .extracting(QueueRefused::reason)
        .isEqualTo(QueueRefused.Reason.CLOSED);
    assertThat(results.pending().size()).isZero();
  }

  @Test
  void aCallThatTheQueueRefusesIsNotAwaited() {
    assertThatThrownBy(() -> writer.calls().count("x".repeat(2 << 20)))
        .isInstanceOf(QueueRefused.class);
    queues.in().stopAccepting();
    assertThatThrownBy(() -> writer.calls().count("tea")).isInstanceOf(QueueRefused.class);

    assertThat(results.pending().size()).isZero();
  }

  @Test
  void whoeverEndsTheWaitLeavesNothingBehind() {
    Map<String, Consumer<CompletableFuture<Long>>> ways =
        Map.of(
            "complete", it -> it.complete(1L),
            "completeAsync", it -> it.completeAsync(() -> 1L),
            "completeExceptionally", it -> it.completeExceptionally(new IllegalStateException()),
            "cancel", it -> it.cancel(true),
            "orTimeout", it -> it.orTimeout(1, TimeUnit.MILLISECONDS),
            "completeOnTimeout", it -> it.completeOnTimeout(1L, 1, TimeUnit.MILLISECONDS),
            "obtrudeValue", it -> it.obtrudeValue(1L),
            "obtrudeException", it -> it.obtrudeException(new IllegalStateException()));
    ways.forEach((name, end) -> {
      CompletableFuture<Long> waiting = writer.calls().count("tea");
      assertThat(results.pending().size()).as(name).isEqualTo(1);
      end.accept(waiting);
      await(name).until(() -> results.pending().size() == 0);
      assertThat(waiting).as(name).isDone();
    });
  }

  @Test
  void aCallThatIsNotAcknowledgedYetHoldsUpNoOther() throws Exception {
    service.start();
    late.hold();
    try (Writer<Stock> slow = STOCK.writer(late.over(queues.in()), results.pending())) {
      CompletableFuture<Long> first = slow.calls().count("tea");
      assertThat(get(writer.calls().count("rice"))).isEqualTo(4);
      late.release();
      assertThat(get(first)).isEqualTo(3);
    }
  }

  @Test
  void twoCallsOfOneIdempotencyKeyGetTheirOwnResultsIfTheyAreAcknowledgedLate() throws Exception {
    service.start();
    late.hold();
    try (Writer<Stock> slow = STOCK.writer(late.over(queues.in()), results.pending())) {
      List<CompletableFuture<?>> calls =
          List.of(
              slow.keyed("shop", "1").calls().count("tea"),
              slow.keyed("shop", "1").calls().count("tea"));
      await().until(() -> service.position(0) == 2);
      late.release();
      for (CompletableFuture<?> call : calls) {
        assertThat(get(call)).isEqualTo(3L);
      }
    }
  }
}
