/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.CallFailure;
import io.forebay.call.FailureReceiver;
import io.forebay.call.Protocol;
import io.forebay.call.Reader;
import io.forebay.call.ResultUnknown;
import io.forebay.call.SharedWriter;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedDeadLetters;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ResultReceiver;
import io.forebay.hosting.ServiceQueues;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Services with a component of the user's own on topics. */
class KafkaOwnServiceTest {

  interface Pricing {
    void price(String item);
  }

  interface Prices {
    void priced(String item);
  }

  /** Writes to the same queue, and expects a result. */
  interface Asking {
    CompletableFuture<String> price(String item);
  }

  private static final Protocol<Pricing> PRICING = Protocol.of(Pricing.class);
  private static final Protocol<Prices> PRICES = Protocol.of(Prices.class);

  private final String prefix = UUID.randomUUID() + ".";
  private final String servers = TestBroker.shared();
  private final List<String> performed = new CopyOnWriteArrayList<>();
  private final KafkaBackend backend =
      KafkaBackend.open(
          KafkaBackend.Options.of(servers)
              .withPrefix(prefix)
              .withKeys(SenderKeys.NONE)); // as without a system database
  private final ServiceQueues queues = ServiceQueues.open(backend, "pricing", 1);
  private final DeadLetterQueue letters =
      DeadLetterQueue.open(backend, "pricing", 1, Duration.ofDays(1));
  private final HostedService<Pricing, Prices> service =
      new HostedService<>(
          new Service<>(
              "pricing",
              new Service.End<>(queues.in(), PRICING),
              new Service.End<>(queues.out(), PRICES),
              (_, prices) -> item -> price(item, prices),
              ServiceOptions.defaults()
                  .withOnError(ErrorPolicy.retry(2, Duration.ofMillis(1)).thenDeadLetter()),
              HostedProgress.none(),
              letters));

  private void price(String item, Prices prices) {
    prices.priced(item);
    performed.add(item.length() > 10 ? "large" : item);
    if (item.equals("salt")) {
      throw new IllegalStateException("no price");
    }
  }

  @AfterEach
  void close() {
    service.close();
    letters.close();
    backend.close();
  }

  /** Collects answers and failures. */
  private static final class Received implements Prices, FailureReceiver {
    private final List<String> all = new ArrayList<>();

    @Override
    public void priced(String item) {
      all.add(item);
    }

    @Override
    public void callFailed(CallFailure failure) {
      all.add(failure.error() + ": " + failure.text());
    }
  }

  @Test
  void aCallWhoseComponentThrowsIsAnsweredOnceAsAFailure() {
    service.start();
    try (SharedWriter<Pricing> writer =
        new SharedWriter<>(Pricing.class, PRICING.writer(queues.in()), Duration.ZERO)) {
      for (String item : List.of("tea", "salt", "rice")) {
        writer.calls().price(item);
      }
    }
    Received received = new Received();
    try (Reader<Prices> reader = service.createReader(received)) {
      await()
          .untilAsserted(() -> {
            reader.poll(10);
            assertThat(received.all)
                .containsExactly("tea", "java.lang.IllegalStateException: no price", "rice");
          });
    }
    assertThat(performed).containsExactly("tea", "salt", "salt", "rice");
    Failures listed = new Failures(List.of(new HostedDeadLetters<>(service, letters)));
    Failure letter = listed.list("pricing", null, 10).failures().getFirst();
    assertThat(letter.position()).isEqualTo(1);

    Failure.Replay replay = listed.replay(letter.id(), "ada").orElseThrow().replay();
    assertThat(replay.by()).isEqualTo("ada");
    await().until(() -> listed.list("pricing", null, 10).failures().size() == 2);
    assertThat(listed.find(letter.id()).orElseThrow().replay().outcome())
        .isEqualTo(Failure.Outcome.FAILED);
  }

  @Test
  void aCallThatTheBrokersDoNotAcceptInTimeThrows() throws Exception {
    limitMessages(10_000);
    try (SharedWriter<Pricing> writer =
        new SharedWriter<>(Pricing.class, PRICING.writer(queues.in()), Duration.ofSeconds(30))) {
      assertThatThrownBy(() -> writer.calls().price("x".repeat(100_000)))
          .isInstanceOf(QueueFailed.class);
      await().ignoreExceptions().untilAsserted(() -> writer.calls().price("tea"));
    }
  }

  @Test
  void ofOperatorsWhoDecideAtTwoInstancesOneSucceeds() throws Exception {
    service.start();
    try (SharedWriter<Pricing> writer =
        new SharedWriter<>(Pricing.class, PRICING.writer(queues.in()), Duration.ZERO)) {
      writer.calls().price("salt");
    }
    try (KafkaBackend second =
            KafkaBackend.open(KafkaBackend.Options.of(servers).withPrefix(prefix));
        DeadLetterQueue seenBySecond =
            DeadLetterQueue.open(second, "pricing", 1, Duration.ofDays(1));
        ExecutorService operators = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Failures> instances = new ArrayList<>();
      for (DeadLetterQueue each : List.of(letters, seenBySecond)) {
        instances.add(new Failures(List.of(new HostedDeadLetters<>(service, each))));
      }
      Failures last = instances.getLast();
      await().until(() -> last.list("pricing", null, 10).failures().size() == 1);
      String id = last.list("pricing", null, 10).failures().getFirst().id();
      instances.getFirst().decide(id, Failure.State.SET_ASIDE, "ada", "later");

      CyclicBarrier together = new CyclicBarrier(instances.size());
      List<Future<?>> decisions = new ArrayList<>();
      for (Failures instance : instances) {
        decisions.add(
            operators.submit(() -> {
              together.await();
              return instance.decide(id, Failure.State.DISCARDED, "ada", "not needed");
            }));
      }
      int accepted = 0;
      for (Future<?> decision : decisions) {
        try {
          decision.get();
          accepted++;
        } catch (ExecutionException e) {
          assertThat(e)
              .hasCauseInstanceOf(DecisionRefused.class)
              .hasMessageContaining("discarded by ada");
        }
      }
      assertThat(accepted).isEqualTo(1);
    }
  }

  @Test
  void aMessageThatBrokersRefuseAfterItsCallReturnedIsLostAlone() throws Exception {
    service.start();
    try (SharedWriter<Pricing> writer =
        new SharedWriter<>(Pricing.class, PRICING.writer(queues.in()), Duration.ZERO)) {
      writer.calls().price("tea");
      await().until(() -> performed.contains("tea"));
      limitMessages(10_000);

      writer.calls().price("x".repeat(100_000));
      await()
          .ignoreExceptions()
          .until(() -> {
            writer.calls().price("rice");
            return performed.contains("rice");
          });

      writer.calls().price("milk");
      await().until(() -> performed.contains("milk"));
      assertThat(performed).doesNotContain("large");
    }
  }

  @Test
  void aResultIsNotAwaitedForAMessageThatBrokersRefuseAfterItsCallReturned() throws Exception {
    Protocol<Asking> asking = Protocol.of(Asking.class);
    limitMessages(10_000);
    try (ResultReceiver<Asking> results =
            new ResultReceiver<>(asking, queues.out(), Duration.ofHours(1));
        Writer<Asking> writer = asking.writer(queues.in(), results.pending())) {
      CompletableFuture<String> refused = writer.calls().price("x".repeat(100_000));
      assertThatThrownBy(() -> refused.get(30, TimeUnit.SECONDS))
          .hasRootCauseInstanceOf(RecordTooLargeException.class)
          .cause()
          .isInstanceOf(ResultUnknown.class);
      await().until(() -> results.pending().size() == 0);
    }
  }

  /** Limits the size of messages, and waits until the broker applies it. */
  private void limitMessages(int bytes) throws Exception {
    ConfigEntry limit = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
    Collection<AlterConfigOp> change = List.of(new AlterConfigOp(limit, AlterConfigOp.OpType.SET));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, prefix + "pricing.in");
      admin.incrementalAlterConfigs(Map.of(topic, change)).all().get();
    }
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      // Those that the broker still accepts become dead letters.
      ProducerRecord<byte[], byte[]> tooLarge =
          new ProducerRecord<>(prefix + "pricing.in", new byte[2 * bytes]);
      await()
          .untilAsserted(() ->
              assertThatThrownBy(() -> producer.send(tooLarge).get())
                  .hasRootCauseInstanceOf(RecordTooLargeException.class));
    }
  }
}
