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
import io.forebay.call.UndecodableMessage;
import io.forebay.call.Writer;
import io.forebay.queue.Appender;
import io.forebay.queue.Fenced;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.Resumable;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A service with a component that works in batches and stores its own progress. */
class BatchingServiceTest {

  /** The protocol of the in-queue. */
  interface Order {
    void buy(long number);

    void order(String goods);
  }

  /** The protocol of the out-queue. */
  interface Confirmation {
    void bought(long number);
  }

  private static final Protocol<Order> ORDER = Protocol.of(Order.class);
  private static final Protocol<Confirmation> CONFIRMATION = Protocol.of(Confirmation.class);
  private static final Duration SOON = Duration.ofSeconds(10);

  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue in = backend.open("in", 1);
  private final MessageQueue out = backend.open("out", 1);
  private final Writer<Order> writer = ORDER.writer(in);
  private final Shop shop = new Shop();

  @AfterEach
  void close() {
    backend.close();
  }

  /** Remembers what was performed beside the orders, as a database would. */
  private final class Shop implements Order, BatchAware, Resumable {
    final List<String> steps = new CopyOnWriteArrayList<>();
    final List<Message> messages = new ArrayList<>();
    Confirmation answers = _ -> {};
    volatile long next;
    volatile int unavailable;
    volatile boolean closedAgain;
    volatile int tries;
    volatile @Nullable CountDownLatch work;
    private Consumer<String> performing = _ -> {};
    volatile boolean fenced;
    private int answered;

    @Override
    public void beginBatch(int partition, long from) {
      steps.add("begin " + from);
      messages.clear();
      answered = 0;
    }

    @Override
    public void buy(long number) {
      messages.add(Message.current());
    }

    @Override
    public void order(String goods) {
      messages.add(Message.current());
    }

    @Override
    public void whenAvailable(Consumer<String> receiver) {
      performing = receiver;
    }

    @Override
    public void endBatch(long to) {
      if (unavailable > 0) {
        unavailable--;
        throw new Unavailable("the till is closed", new IllegalStateException());
      }
      if (fenced) {
        throw new Fenced("taken over by another shop", null);
      }
      performing.accept("the till is open again");
      tries++;
      CountDownLatch until = work;
      if (until != null) {
        awaitUninterruptibly(until);
      }
      if (closedAgain) {
        throw new Unavailable("the till is closed again", null);
      }
      steps.add("end " + to);
      next = to;
    }

    @Override
    public void answerBatch() {
      while (answered < messages.size()) {
        messages.get(answered).makeCurrent();
        answers.bought(messages.get(answered).position());
        answered++;
      }
    }

    @Override
    public void deadLetter(
        int partition, long position, ByteBuffer message, UndecodableMessage reason) {
      steps.add("letter %d %s %d".formatted(position, reason.reason(), message.remaining()));
    }

    @Override
    public Progress resume(Start start) {
      steps.add("resume behind " + start.lastAnswered().orElse(-1));
      return new Progress(next, next);
    }

    @Override
    public void answered(long position) {
      steps.add("safe " + position);
    }

    @Override
    public void drained() {
      steps.add("drained");
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await(SOON.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ServiceOptions options(int maxBatch) {
    return ServiceOptions.defaults()
        .withMaxBatch(maxBatch)
        .withRetry(Duration.ofMillis(1), Duration.ofMillis(5));
  }

  private Service<Order, Confirmation> service(int maxBatch) {
    return service(options(maxBatch));
  }

  private Service<Order, Confirmation> service(ServiceOptions options) {
    return new Service<>(
        "shop",
        new Service.End<>(in, ORDER),
        new Service.End<>(out, CONFIRMATION),
        (_, answers) -> {
          shop.answers = answers;
          return shop;
        },
        options);
  }

  private void buy(int count) {
    for (int i = 0; i < count; i++) {
      writer.calls().buy(i);
    }
  }

  private List<Long> answers() {
    List<Long> answers = new ArrayList<>();
    try (Reader<Confirmation> reader = CONFIRMATION.reader(out, answers::add)) {
      reader.poll(10_000);
    }
    return answers;
  }

  @Test
  void performsAvailableMessagesAsOneBatchUpToTheLimit() throws InterruptedException {
    try (Service<Order, Confirmation> service = service(10)) {
      buy(25);
      service.start();
      service.drain(SOON);
      assertThat(shop.steps)
          .containsExactly(
              "resume behind -1",
              "begin 0",
              "end 10",
              "safe 10",
              "begin 10",
              "end 20",
              "safe 20",
              "begin 20",
              "end 25",
              "safe 25",
              "drained");
      assertThat(answers()).hasSize(25).isSorted();
    }
  }

  @Test
  void endsABatchBeforeItsMessagesTakeMoreBytesThanAllowed() throws InterruptedException {
    try (Service<Order, Confirmation> service = service(1_000)) {
      for (int i = 0; i < 10; i++) {
        writer.calls().order("x".repeat(1_000_000));
      }
      buy(2);
      service.start();
      service.drain(SOON);
      assertThat(shop.steps.stream().filter(step -> step.startsWith("end")))
          .containsExactly("end 4", "end 8", "end 12");
      assertThat(answers()).hasSize(12).isSorted();
    }
  }

  @Test
  void passesAnUndecodableMessageToTheComponentAndContinues() throws InterruptedException {
    try (Service<Order, Confirmation> service = service(10)) {
      buy(2);
      try (Appender appender = in.appender()) {
        appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
      }
      buy(2);
      service.start();
      service.drain(SOON);
      assertThat(shop.steps).contains("letter 2 MALFORMED 3", "end 5");
      assertThat(answers()).containsExactly(0L, 1L, 3L, 4L);
    }
  }

  @Test
  void asksForTheSameBatchAgainWhileItIsUnavailable() {
    shop.unavailable = 7;
    try (Service<Order, Confirmation> service = service(10)) {
      buy(3);
      service.start();
      await().until(() -> answers().size() == 3);
      assertThat(shop.steps).startsWith("resume behind -1", "begin 0", "end 3");
      assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
    }
  }

  @Test
  void showsThatItPerformsTheBatchAsSoonAsThatIsPossibleAgain() {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    shop.work = first;
    shop.unavailable = 3;
    try (Service<Order, Confirmation> service = service(10)) {
      buy(3);
      service.start();
      await().until(() -> service.state().reason().equals("the till is open again"));
      assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
      long before = service.work().nanos();
      await().until(() -> service.work().nanos() > before + 20_000_000);
      shop.closedAgain = true;
      shop.work = second;
      first.countDown();
      await().until(() -> shop.tries == 2);
      assertThat(service.state().phase()).as("not with each try").isEqualTo(Phase.WAITING);
      assertThat(service.state().reason()).isEqualTo("the till is closed again");
      shop.closedAgain = false;
      second.countDown();
      await().until(() -> answers().size() == 3);
      assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
      assertThat(service.state().reason()).isEmpty();
    }
  }

  @Test
  void showsThatItWasFencedAndStopsThere() {
    shop.fenced = true;
    try (Service<Order, Confirmation> service = service(10)) {
      buy(3);
      service.start();
      await().until(() -> service.state().phase() == Phase.FENCED);
      assertThat(service.state().reason()).isEqualTo("taken over by another shop");
      assertThat(answers()).isEmpty();
    }
  }

  @Test
  void refusesToPerformWhenTheProgressIsOlderThanTheAnswers() {
    try (Service<Order, Confirmation> service = service(10)) {
      buy(5);
      service.start();
      await().until(() -> answers().size() == 5);
      service.stop();
      shop.next = 2;
      service.start();
      await().until(() -> service.state().phase() == Phase.FAILED);
      assertThat(service.state().reason()).contains("position 4", "performed up to 2", "restore");
      assertThat(shop.steps.getLast()).isEqualTo("resume behind 4");
    }
  }

  @Test
  void leavesAGapWhenTheQueueLostPerformedMessages() {
    shop.next = 7;
    try (Service<Order, Confirmation> service = service(10)) {
      service.start();
      await().until(() -> service.state().phase() == Phase.RUNNING);
      buy(1);
      await().untilAsserted(() -> assertThat(answers()).containsExactly(7L));
    }
  }

  interface Counting {
    CompletableFuture<Long> count(String goods);
  }

  private static final class BatchedCounting implements Counting, BatchAware {
    @Override
    public CompletableFuture<Long> count(String goods) {
      return CompletableFuture.completedFuture(1L);
    }

    @Override
    public void beginBatch(int partition, long from) {}

    @Override
    public void endBatch(long to) {}

    @Override
    public void answerBatch() {}
  }

  @Test
  void refusesAComponentOfBatchesWhoseCallsHaveResults() {
    try (Service<Counting, Confirmation> service =
        new Service<>(
            "shop",
            new Service.End<>(in, Protocol.of(Counting.class)),
            new Service.End<>(out, CONFIRMATION),
            (_, _) -> new BatchedCounting(),
            options(10))) {
      service.start();
      await().until(() -> service.state().phase() == Phase.FAILED);
      assertThat(service.state().reason()).contains("must return void");
    }
  }
}
