/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.linux.CpuBindingTest;
import io.forebay.linux.CpuSet;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ServiceTest {

  /** The protocol of the in-queue. */
  interface Order {
    void buy(long number);
  }

  /** The protocol of the out-queue. */
  interface Confirmation {
    void bought(long number);
  }

  private static final Protocol<Order> ORDER = Protocol.of(Order.class);
  private static final Protocol<Confirmation> CONFIRMATION = Protocol.of(Confirmation.class);
  private static final Duration SOON = Duration.ofSeconds(10);

  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue in = backend.open("in", 2);
  private final MessageQueue out = backend.open("out", 2);
  private final Writer<Order> writer = ORDER.writer(in, "one partition");
  private ServiceOptions options =
      ServiceOptions.defaults().withRetry(Duration.ofMillis(1), Duration.ofMillis(5));

  @AfterEach
  void close() {
    backend.close();
  }

  private Service<Order, Confirmation> service(ComponentFactory<Order, Confirmation> factory) {
    return new Service<>(
        "shop",
        new Service.End<>(in, ORDER),
        new Service.End<>(out, CONFIRMATION),
        factory,
        options);
  }

  private void buy(long from, long to) {
    LongStream.range(from, to).forEach(writer.calls()::buy);
  }

  /** All answers so far, each as "number of the order @ position it answers". */
  private List<String> answers() {
    List<String> answers = new ArrayList<>();
    try (Reader<Confirmation> reader =
        CONFIRMATION.reader(
            out, number -> answers.add(number + "@" + Message.current().source().orElseThrow()))) {
      while (reader.poll(100) > 0) {
        // until all are read
      }
    }
    return answers;
  }

  private static List<String> expected(long to) {
    return LongStream.range(0, to).mapToObj(i -> i + "@" + i).toList();
  }

  @Test
  void answersEveryMessageInOrderOnTheSamePartitionWithItsIdAndPosition() {
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      service.start();
      buy(0, 5_000);
      await().untilAsserted(() -> assertThat(answers()).isEqualTo(expected(5_000)));
      int partition = writer.lastPartition();
      assertThat(out.stats(partition).end()).hasValue(5_000);
      assertThat(out.stats(1 - partition).end()).hasValue(0);
      List<Object> ids = new ArrayList<>();
      try (Reader<Confirmation> reader =
          CONFIRMATION.reader(out, _ -> ids.add(Message.current().id()))) {
        reader.poll(5_000);
      }
      assertThat(ids.getLast()).isEqualTo(writer.lastId());
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyIdleStrategyNoticesMessagesAndAStop(Idle.Strategy strategy) {
    options = options.withIdle(strategy);
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      service.start();
      for (int i = 0; i < 3; i++) {
        long sent = i + 1;
        buy(i, sent);
        await().until(() -> answers().size() == sent);
      }
      service.stop();
      assertThat(service.state().phase()).isEqualTo(Phase.STOPPED);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void itsThreadsAreBoundToTheCpus() {
    options = options.withCpus(CpuSet.of(CpuBindingTest.oneCpu()));
    List<String> allowed = new CopyOnWriteArrayList<>();
    ComponentFactory<Order, Confirmation> factory =
        (_, answers) -> {
          allowed.add(CpuBindingTest.allowed());
          return answers::bought;
        };
    try (Service<Order, Confirmation> service = service(factory)) {
      service.start();
      await().until(() -> allowed.size() == in.partitions());
      assertThat(allowed).containsOnly(CpuBindingTest.oneCpu());
    }
  }

  @Test
  void resumesBehindTheLastAnswerWhenStartedAgain() {
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      service.start();
      buy(0, 100);
      await().until(() -> answers().size() == 100);
      service.stop();
      assertThat(service.state().phase()).isEqualTo(Phase.STOPPED);
      buy(100, 200);
      service.start();
      await().untilAsserted(() -> assertThat(answers()).isEqualTo(expected(200)));
    }
  }

  @Test
  void answersWithAnEmptyFrameIfTheComponentMakesNoCallAndWithOneFrameIfItMakesSeveral() {
    AtomicInteger calls = new AtomicInteger();
    ComponentFactory<Order, Confirmation> factory =
        (_, answers) ->
            number -> {
              calls.incrementAndGet();
              for (int i = 0; i < number % 3; i++) {
                answers.bought(number);
              }
            };
    try (Service<Order, Confirmation> service = service(factory)) {
      service.start();
      buy(0, 10);
      await().until(() -> service.position(writer.lastPartition()) == 10);
      assertThat(out.stats(writer.lastPartition()).end()).hasValue(10);
      assertThat(answers()).startsWith("1@1", "2@2", "2@2", "4@4");
      service.stop();
      service.start();
      await().until(() -> service.state().phase() == Phase.RUNNING);
      assertThat(calls).hasValue(10);
    }
  }

  @Test
  void pausesWithTheReasonAndPerformsNothingUntilItIsResumed() {
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      service.pause("maintenance of the warehouse");
      service.start();
      buy(0, 10);
      await()
          .untilAsserted(() ->
              assertThat(service.state()).hasToString("PAUSED: maintenance of the warehouse"));
      assertThat(answers()).isEmpty();
      service.resume();
      await().until(() -> answers().size() == 10);
      assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
    }
  }

  @Test
  void performsNoPausedMessagesWhenStopped() {
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      service.pause("for the night");
      service.start();
      await().until(() -> service.state().phase() == Phase.PAUSED);
      buy(0, 10);
      service.stop();
      assertThat(answers()).isEmpty();
    }
  }

  @Test
  void drainsAndEnds() throws InterruptedException {
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      buy(0, 3_000);
      service.start();
      in.stopAccepting();
      assertThat(service.drain(SOON)).isTrue();
      assertThat(answers()).isEqualTo(expected(3_000));
      assertThat(service.state().phase()).isEqualTo(Phase.DRAINED);
    }
  }

  @Test
  void failsVisiblyWithTheCauseWhenTheComponentThrowsAndCallsItAgainAfterTheRestart() {
    List<Long> called = new CopyOnWriteArrayList<>();
    AtomicInteger failures = new AtomicInteger(1);
    ComponentFactory<Order, Confirmation> factory =
        (_, answers) ->
            number -> {
              called.add(number);
              if (number == 3 && failures.getAndDecrement() > 0) {
                throw new IllegalArgumentException("no such order");
              }
              answers.bought(number);
            };
    try (Service<Order, Confirmation> service = service(factory)) {
      service.start();
      buy(0, 6);
      await().until(() -> service.state().phase() == Phase.FAILED);
      assertThat(service.state().cause()).hasMessage("no such order");
      assertThat(service.state().reason()).contains("shop", "position=3", "no such order");
      assertThat(answers()).isEqualTo(expected(3));
      service.stop();
      service.start();
      await().untilAsserted(() -> assertThat(answers()).isEqualTo(expected(6)));
      assertThat(called).containsExactly(0L, 1L, 2L, 3L, 3L, 4L, 5L);
    }
  }

  /** How services.md tells a component to send its events. */
  @Test
  void aCallPerformedAgainHasItsPlaceAndARepetitionByItsCallerHasAnotherOne() {
    Map<UUID, String> stored = new ConcurrentHashMap<>(); // the database of the component
    AtomicInteger effects = new AtomicInteger();
    AtomicInteger crashes = new AtomicInteger(1);
    ComponentFactory<Order, Confirmation> factory =
        (_, answers) ->
            number -> {
              Message call = Message.current();
              String place = call.partition() + "-" + call.position();
              if (stored.putIfAbsent(call.id(), place) == null) {
                effects.incrementAndGet();
              }
              if (number == 7 && crashes.getAndDecrement() > 0) {
                throw new IllegalStateException("the process dies");
              }
              if (place.equals(stored.get(call.id()))) {
                answers.bought(number);
              }
            };
    try (Service<Order, Confirmation> service = service(factory)) {
      service.start();
      writer.keyed("shop", "order-7").calls().buy(7);
      await().until(() -> service.state().phase() == Phase.FAILED);
      service.stop();
      service.start();
      await().until(() -> service.position(writer.lastPartition()) == 1);
      writer.keyed("shop", "order-7").calls().buy(7);
      buy(8, 9);
      await().untilAsserted(() -> assertThat(answers()).containsExactly("7@0", "8@2"));
      assertThat(effects).hasValue(2);
    }
  }

  @Test
  void waitsVisiblyWhileItsComponentIsUnavailableAndResumesAutomatically() {
    AtomicInteger attempts = new AtomicInteger();
    CountDownLatch there = new CountDownLatch(1);
    ComponentFactory<Order, Confirmation> factory =
        (_, answers) -> {
          attempts.incrementAndGet();
          if (there.getCount() > 0) {
            throw new Unavailable("the warehouse is closed", new IllegalStateException());
          }
          return answers::bought;
        };
    try (Service<Order, Confirmation> service = service(factory)) {
      buy(0, 5);
      service.start();
      await()
          .untilAsserted(
              () -> assertThat(service.state()).hasToString("WAITING: the warehouse is closed"));
      await().until(() -> attempts.get() > 5);
      there.countDown();
      await().until(() -> answers().size() == 5);
      await().until(() -> service.state().phase() == Phase.RUNNING);
    }
  }

  @Test
  void stopsWhileItWaits() {
    ComponentFactory<Order, Confirmation> factory =
        (_, _) -> {
          throw new Unavailable("never there", new IllegalStateException());
        };
    try (Service<Order, Confirmation> service = service(factory)) {
      service.start();
      await().until(() -> service.state().phase() == Phase.WAITING);
      service.stop();
      assertThat(service.state().phase()).isEqualTo(Phase.STOPPED);
      assertThat(threads()).isEmpty();
    }
  }

  @Test
  void stopJoinsItsThreadsWhichAreNamedAfterServiceAndPartition() {
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      service.start();
      assertThat(threads()).containsExactlyInAnyOrder("forebay-shop-0", "forebay-shop-1");
      service.stop();
      assertThat(threads()).isEmpty();
    }
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("forebay-shop"))
        .toList();
  }

  @Test
  void freesPerformedAndAnsweredMessages() {
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      service.start();
      buy(0, 500);
      await()
          .untilAsserted(() ->
              assertThat(in.stats(writer.lastPartition()).passed()).containsEntry("shop", 500L));
    }
  }

  @Test
  void measuresHowLongMessagesTakeToEachStation() {
    try (Service<Order, Confirmation> service = service((_, answers) -> answers::bought)) {
      service.start();
      buy(0, 500);
      await().until(() -> service.position(writer.lastPartition()) == 500);
      await()
          .untilAsserted(() -> {
            Latency.Snapshot snapshot = service.latency().takeSnapshot();
            assertThat(snapshot.read().getTotalCount()).isEqualTo(500);
            assertThat(snapshot.answered().getMaxValue())
                .isGreaterThanOrEqualTo(snapshot.read().getMinValue())
                .isLessThan(60_000_000_000L);
          });
    }
  }
}
