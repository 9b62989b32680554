/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.forebay.call.NoEvents;
import io.forebay.operations.StartRefused;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How services are opened, started, drained and closed. */
class DefinedServiceTest {

  interface Orders {
    void ordered(String item);
  }

  interface Prices {
    void priced(String item);
  }

  interface Stock {
    CompletableFuture<Long> count(String item);
  }

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration A_MOMENT = Duration.ofMillis(50);

  private final MemoryBackend backend = MemoryBackend.open();
  private final CountDownLatch open = new CountDownLatch(1);

  @AfterEach
  void close() {
    open.countDown();
    backend.close();
  }

  private DefinedService<Orders, Prices> pricing() {
    return opened(
        ServiceDefinition.<Orders, Prices>of(
            "pricing", Orders.class, Prices.class, prices -> prices::priced));
  }

  private DefinedService<Prices, Prices> copying(DefinedService<Orders, Prices> pricing) {
    return copying(pricing, prices -> prices::priced);
  }

  private DefinedService<Prices, Prices> copying(
      DefinedService<Orders, Prices> pricing, Function<Prices, Prices> component) {
    return DefinedService.open(
        backend,
        ServiceDefinition.of("copying", Prices.class, Prices.class, component)
            .from(pricing.definition()),
        pricing,
        HostedProgress.none());
  }

  private <I, O> DefinedService<I, O> opened(ServiceDefinition<I, O> definition) {
    return DefinedService.open(backend, definition, HostedProgress.none());
  }

  private static void mustPerform(DefinedService<Orders, Prices> service) {
    service.start();
    service.calls().ordered("tea");
    await().until(() -> service.position(0) == 1);
  }

  @Test
  void aClosedServicePerformsNothingAndCanBeOpenedAgain() {
    DefinedService<Orders, Prices> closed = pricing();
    closed.start();
    closed.close();
    assertThat(closed.isRunning()).isFalse();
    try (DefinedService<Orders, Prices> again = pricing()) {
      mustPerform(again);
    }
  }

  @Test
  void aCallWhoseResultHasNotComeFailsWhenItsServiceIsClosed() {
    DefinedService<Stock, NoEvents> stock =
        opened(
            ServiceDefinition.of(
                "stock",
                Stock.class,
                () -> item -> CompletableFuture.completedFuture((long) item.length())));
    CompletableFuture<Long> count = stock.calls().count("tea");
    assertThat(stock.pendingResults()).isEqualTo(1);
    stock.close();
    assertThat(count).failsWithin(SOON);
  }

  @Test
  void aLaterStageLeavesTheStageBeforeOpen() {
    try (DefinedService<Orders, Prices> first = pricing()) {
      DefinedService<Prices, Prices> second = copying(first);
      first.start();
      second.close();
      first.calls().ordered("tea");
      await().until(() -> first.position(0) == 1);
      assertThatThrownBy(() -> backend.open("pricing.out", 1)).hasMessageContaining("already open");
    }
  }

  @Test
  void aStageShowsThatTheNextOneFailedBeforeAnotherAnswerIsRefused() {
    Function<Prices, Prices> failing =
        _ ->
            item -> {
              throw new OutOfMemoryError("test");
            };
    try (DefinedService<Orders, Prices> first = pricing();
        DefinedService<Prices, Prices> _ = copying(first, failing)) {
      mustPerform(first);
      await()
          .untilAsserted(() ->
              assertThat(first.view().state())
                  .returns(Phase.FAILED, ServiceState::phase)
                  .extracting(ServiceState::reason, STRING)
                  .contains("queue pricing.out failed: it accepts nothing"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pricing.out", "pricing.dead", "copying.out", "copying.dead"})
  void aServiceThatCannotOpenAQueueClosesTheOthersAndLeavesTheStageBeforeOpen(String taken) {
    MessageQueue foreign = backend.open(taken, 1);
    boolean isOfALaterStage = taken.startsWith("copying");
    DefinedService<Orders, Prices> before = isOfALaterStage ? pricing() : null;
    assertThatThrownBy(() -> copying(before == null ? pricing() : before))
        .hasMessageContaining(taken);
    foreign.close();
    try (DefinedService<Orders, Prices> first = before == null ? pricing() : before;
        DefinedService<Prices, Prices> second = copying(first)) {
      mustPerform(first);
      await().until(() -> second.position(0) == 1);
    }
  }

  @Test
  void aServiceStartsOnceItsComponentCanBeCreated() {
    ServiceDefinition<Orders, Prices> definition =
        ServiceDefinition.of(
            "pricing",
            Orders.class,
            Prices.class,
            prices -> {
              if (open.getCount() > 0) {
                throw new IllegalStateException("no drawer");
              }
              return prices::priced;
            });
    try (DefinedService<Orders, Prices> service = opened(definition)) {
      assertThatThrownBy(service::start).isInstanceOf(StartRefused.class);
      assertThat(service.isRunning()).isFalse();
      open.countDown();
      mustPerform(service);
    }
  }

  @Test
  void aStageIsDrainedWhenTheStageBeforeIsAndAcceptsNothingMeanwhile() throws Exception {
    ServiceDefinition<Orders, Prices> slow =
        ServiceDefinition.of(
            "pricing",
            Orders.class,
            Prices.class,
            prices ->
                item -> {
                  try {
                    open.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  prices.priced(item);
                });
    try (DefinedService<Orders, Prices> first = opened(slow);
        DefinedService<Prices, Prices> second = copying(first);
        AutoCloseable _ = open::countDown) {
      first.start();
      first.calls().ordered("tea");
      assertThat(second.drain(A_MOMENT)).isFalse();
      assertThat(first.drain(A_MOMENT)).isFalse();
      assertThatThrownBy(() -> first.calls().ordered("late")).isInstanceOf(QueueRefused.class);
      open.countDown();
      assertThat(second.drain(SOON)).isTrue();
      assertThat(second.position(0)).isEqualTo(1);
    }
  }
}
