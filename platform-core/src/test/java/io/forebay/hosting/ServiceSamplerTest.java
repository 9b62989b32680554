/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.capacity.ServiceSample;
import io.forebay.operations.Durability;
import io.forebay.operations.ServiceOperations;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Partitioner;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.BatchAware;
import io.forebay.service.ComponentFactory;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.Unavailable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServiceSamplerTest {

  /** The protocol of the test service and of its answers. */
  public interface Greeting {
    void greet(String name);
  }

  private static final Protocol<Greeting> PROTOCOL = Protocol.of(Greeting.class);

  private final MemoryBackend backend = MemoryBackend.open();
  private final AtomicInteger tailers = new AtomicInteger();
  private final AtomicReference<Runnable> beforeTailer = new AtomicReference<>(() -> {});
  private final MessageQueue in = countingTailers(backend.open("greeting.in", 2));
  private final MessageQueue out = backend.open("greeting.out", 2);
  private final CountDownLatch open = new CountDownLatch(1);

  @AfterEach
  void close() {
    open.countDown();
    backend.close();
  }

  /** The real queue, counting how often a tailer is created. */
  private MessageQueue countingTailers(MessageQueue queue) {
    return (MessageQueue)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {MessageQueue.class},
            (_, method, arguments) -> {
              if (method.getName().equals("tailer")) {
                tailers.incrementAndGet();
                beforeTailer.getAndSet(() -> {}).run();
              }
              try {
                return method.invoke(queue, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Service<Greeting, Greeting> service(ComponentFactory<Greeting, Greeting> factory) {
    return new Service<>(
        "greeting",
        new Service.End<>(in, PROTOCOL),
        new Service.End<>(out, PROTOCOL),
        factory,
        ServiceOptions.defaults().withRetry(Duration.ofMillis(20), Duration.ofMillis(20)));
  }

  private void greet(int partition, int times) {
    String key =
        IntStream.range(0, 100)
            .mapToObj(Integer::toString)
            .filter(it -> Partitioner.partition(it, 2) == partition)
            .findFirst()
            .orElseThrow();
    try (Writer<Greeting> writer = PROTOCOL.writer(in, key)) {
      for (int i = 0; i < times; i++) {
        writer.calls().greet("Ada");
      }
    }
  }

  /** When the first message of a partition behind a position was appended. */
  private Instant appended(int partition, long position) {
    Instant[] time = new Instant[1];
    try (Tailer tailer = in.tailer(partition)) {
      tailer.seek(position);
      tailer.poll(
          1, (at, message) -> time[0] = Message.peek("in", partition, at, message).appendTime());
    }
    return time[0];
  }

  private static ServiceSample sample(ServiceOperations service) {
    return service.sample(Instant.now(), service.view());
  }

  private static void awaitPerformed(Service<?, ?> service, int partition, long position) {
    await().until(() -> service.position(partition) == position);
  }

  @Test
  void countsOverAllPartitionsAndKnowsTheOldestMessageOfThemAll() {
    try (Service<Greeting, Greeting> service = service((_, answers) -> answers)) {
      ServiceOperations operations = new HostedService<>(service);
      service.start();
      greet(1, 7);
      awaitPerformed(service, 1, 7);
      await().until(() -> service.position(0) == 0);
      sample(operations);
      service.pause("for the test");
      await().until(() -> service.state().phase() == Phase.PAUSED);
      await()
          .until(
              () -> service.states().values().stream().allMatch(it -> it.phase() == Phase.PAUSED));
      greet(1, 2);
      greet(0, 3);

      ServiceSample paused = sample(operations);
      assertThat(paused.paused()).isTrue();
      assertThat(paused.accepted()).hasValue(12);
      assertThat(paused.performed()).hasValue(7);
      // Each writer reads the clock itself, so the later message may have the earlier time.
      assertThat(paused.oldest())
          .hasValue(Collections.min(List.of(appended(1, 7), appended(0, 0))));
      assertThat(paused.partitions()).isEqualTo(2);
      assertThat(paused.unreadPartitions()).isZero();
      long before = paused.writtenBytes().orElseThrow();
      assertThat(before).isGreaterThan(12 * 32);

      service.resume();
      awaitPerformed(service, 1, 9);
      awaitPerformed(service, 0, 3);
      ServiceSample resumed = sample(operations);
      assertThat(resumed.accepted()).hasValue(12);
      assertThat(resumed.performed()).hasValue(12);
      assertThat(resumed.oldest()).isEmpty();
      assertThat(resumed.unreadPartitions()).isZero();
      assertThat(resumed.writtenBytes().orElseThrow()).as("with the answers").isGreaterThan(before);
    }
  }

  private static ServiceOperations startPaused(Service<?, ?> service) {
    service.pause("for the test");
    service.start();
    await()
        .until(() -> service.states().values().stream().allMatch(it -> it.phase() == Phase.PAUSED));
    return new HostedService<>(service);
  }

  @Test
  void readsTheOldestMessageOfAPausedServiceOnce() {
    try (Service<Greeting, Greeting> service = service((_, answers) -> answers)) {
      ServiceOperations operations = startPaused(service);
      greet(0, 2);
      ServiceSample first = sample(operations);
      assertThat(first.oldest()).hasValue(appended(0, 0));
      int read = tailers.get();
      greet(0, 2);
      for (int i = 0; i < 10; i++) {
        assertThat(sample(operations).oldest()).isEqualTo(first.oldest());
        assertThat(operations.view().oldest()).isEqualTo(first.oldest().orElseThrow());
      }
      assertThat(tailers).hasValue(read);
    }
  }

  @Test
  void aQueueInMemoryAcknowledgesInMemory() {
    try (Service<Greeting, Greeting> service = service((_, answers) -> answers)) {
      assertThat(new HostedService<>(service).durability())
          .hasValue(new Durability(Level.MEMORY, false, false, false));
    }
  }

  /** A queue in memory drops a message as soon as it is performed, so it cannot be read then. */
  @Test
  void aMessagePerformedWhileItIsReadDoesNotWait() {
    try (Service<Greeting, Greeting> service = service((_, answers) -> answers)) {
      ServiceOperations operations = startPaused(service);
      greet(0, 3);
      beforeTailer.set(() -> {
        service.resume();
        await().until(() -> in.stats(0).first().orElseThrow() == 3);
        greet(0, 2);
        awaitPerformed(service, 0, 5);
      });

      ServiceSample sample = sample(operations);
      assertThat(sample.accepted()).hasValue(3);
      assertThat(sample.oldest()).isEmpty();
      assertThat(sample.unreadPartitions()).isZero();
      assertThat(sample(operations).performed()).hasValue(5);
    }
  }

  @Test
  void knowsTheMessageInHandWithoutReadingTheQueueAndThatItsPartitionIsBusy()
      throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    class Slow implements Greeting, BatchAware {
      @Override
      public void greet(String name) {}

      @Override
      public void beginBatch(int partition, long from) {}

      @Override
      public void endBatch(long to) {
        begun.countDown();
        try {
          open.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public void answerBatch() {}
    }
    try (Service<Greeting, Greeting> service = service((_, _) -> new Slow())) {
      ServiceOperations operations = new HostedService<>(service);
      service.start();
      await().until(() -> service.position(0) == 0 && service.position(1) == 0);
      int read = tailers.get();
      greet(1, 1);
      begun.await();
      assertThat(sample(operations).busy()).as("needs a sample before").isEmpty();
      Instant from = Instant.now();
      await().until(() -> Instant.now().isAfter(from.plusMillis(50)));

      ServiceSample sample = sample(operations);
      assertThat(tailers).hasValue(read);
      assertThat(sample.oldest()).hasValue(appended(1, 0));
      assertThat(sample.busy().orElseThrow())
          .as("one partition of two is busy all the time")
          .isBetween(0.49, 0.51);
      open.countDown();
      awaitPerformed(service, 1, 1);
      sample(operations);
      await().until(() -> Instant.now().isAfter(from.plusMillis(100)));
      assertThat(sample(operations).busy().orElseThrow()).isLessThan(0.1);
    }
  }

  @Test
  void isNotBusyWhileItWaitsForWhatItNeeds() {
    AtomicInteger attempts = new AtomicInteger();
    class Waiting implements Greeting, BatchAware {
      @Override
      public void greet(String name) {}

      @Override
      public void beginBatch(int partition, long from) {}

      @Override
      public void endBatch(long to) {
        if (open.getCount() > 0) {
          attempts.incrementAndGet();
          throw new Unavailable("the door is closed", null);
        }
      }

      @Override
      public void answerBatch() {}
    }
    try (Service<Greeting, Greeting> service = service((_, _) -> new Waiting())) {
      ServiceOperations operations = new HostedService<>(service);
      greet(0, 1);
      service.start();
      await().until(() -> attempts.get() > 0);
      sample(operations);
      int before = attempts.get();
      await().until(() -> attempts.get() > before + 3);
      ServiceSample waiting = sample(operations);
      assertThat(waiting.busy().orElseThrow()).isLessThan(0.1);
      assertThat(waiting.oldest()).hasValue(appended(0, 0));
      assertThat(waiting.paused()).isFalse();
      open.countDown();
      awaitPerformed(service, 0, 1);
    }
  }

  @Test
  void continuesCountingAcrossARestartWithAGapAtTheStart() {
    try (Service<Greeting, Greeting> service = service((_, answers) -> answers)) {
      ServiceOperations operations = new HostedService<>(service);
      sample(operations);
      service.start();
      greet(0, 5);
      awaitPerformed(service, 0, 5);
      service.stop();
      greet(0, 4);
      assertThat(sample(operations).performed()).as("it found its place").isEmpty();
      ServiceSample stopped = sample(operations);
      assertThat(stopped.performed()).hasValue(5);
      assertThat(stopped.accepted()).hasValue(9);
      assertThat(stopped.oldest()).hasValue(appended(0, 5));
      service.start();
      awaitPerformed(service, 0, 9);
      await().until(() -> service.position(1) == 0);
      assertThat(sample(operations).performed()).hasValue(9);
    }
  }
}
