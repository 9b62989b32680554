/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.ServiceQueues;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The progress of an own service is the offset that is committed with its answers. */
class CommittedOffsetsTest {

  interface Numbers {
    void square(long number);
  }

  interface Squares {
    void squared(String square);
  }

  private static final Protocol<Numbers> NUMBERS = Protocol.of(Numbers.class);
  private static final Protocol<Squares> SQUARES = Protocol.of(Squares.class);

  private final String prefix = UUID.randomUUID() + ".";
  private final String servers = TestBroker.shared();
  private final KafkaBackend.Options options = KafkaBackend.Options.of(servers).withPrefix(prefix);
  private final TopicPartition in = new TopicPartition(prefix + "squares.in", 0);
  private final String group = prefix + "squares.in-squares";
  private final List<Long> performed = new CopyOnWriteArrayList<>();
  private final Admin admin = Admin.create(Map.of("bootstrap.servers", servers));
  private int answerLength = 1;
  private int partitions = 1;
  private volatile Call perform = performed::add;

  /** What the component does. */
  @FunctionalInterface
  interface Call {
    void perform(long number) throws InterruptedException;
  }

  private void performs(long number) {
    try {
      perform.perform(number);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void close() {
    admin.close();
  }

  /** An instance of the service. */
  private final class Instance implements AutoCloseable {

    private final KafkaBackend backend = KafkaBackend.open(options);
    private final ServiceQueues queues = ServiceQueues.open(backend, "squares", partitions);
    private final Service<Numbers, Squares> service =
        new Service<>(
            "squares",
            new Service.End<>(queues.in(), NUMBERS),
            new Service.End<>(queues.out(), SQUARES),
            (_, squares) ->
                number -> {
                  performs(number);
                  squares.squared("x".repeat(answerLength));
                },
            ServiceOptions.defaults().withRetry(Duration.ofMillis(10), Duration.ofMillis(100)),
            HostedProgress.none(),
            null);

    Instance start() {
      service.start();
      return this;
    }

    void send(long from, long to) throws Exception {
      try (Writer<Numbers> writer = NUMBERS.writer(queues.in())) {
        for (long number = from; number < to; number++) {
          writer.calls().square(number);
        }
        writer.await(Duration.ofSeconds(20));
      }
    }

    long committed() {
      return queues.in().passed("squares", 0).orElse(-1);
    }

    void awaitCommitted(long position) {
      awaitCommitted(0, position);
    }

    void awaitCommitted(int partition, long position) {
      await()
          .ignoreExceptionsInstanceOf(QueueUnavailable.class) // a transaction is open
          .until(() -> queues.in().passed("squares", partition).orElse(-1) >= position);
    }

    boolean hasFailed() {
      return service.state().phase() == ServiceState.Phase.FAILED;
    }

    void awaitFailed(String reason) {
      await()
          .untilAsserted(() -> {
            ServiceState state = service.state();
            assertThat(state.phase()).as(state.reason()).isEqualTo(ServiceState.Phase.FAILED);
            assertThat(state.reason()).contains(reason);
          });
    }

    @Override
    public void close() {
      service.close();
      queues.in().close();
      queues.out().close();
      backend.close();
    }
  }

  private static <T> T get(KafkaFuture<T> future) throws Exception {
    return future.get();
  }

  private void performTen() throws Exception {
    try (Instance instance = new Instance().start()) {
      instance.send(0, 10);
      instance.awaitCommitted(10);
    }
    assertThat(performed).hasSize(10);
    performed.clear();
  }

  @Test
  void aServiceContinuesAtTheOffsetThatWasCommittedWithItsAnswers() throws Exception {
    performTen();
    OffsetAndMetadata offset =
        get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).get(in);
    assertThat(offset.offset()).isEqualTo(10);
    assertThat(offset.metadata()).startsWith("forebay ").contains(" 9 ");
    try (Instance instance = new Instance().start()) {
      instance.send(10, 12);
      instance.awaitCommitted(12);
    }
    assertThat(performed).containsExactly(10L, 11L);
  }

  @Test
  void messagesInATopicThatWasMadeAgainAreNotSkipped() throws Exception {
    performTen();
    get(admin.deleteTopics(List.of(in.topic())).all());
    await().until(() -> !get(admin.listTopics().names()).contains(in.topic()));
    try (Instance instance = new Instance()) {
      instance.send(100, 115);
      instance.start();
      instance.awaitFailed("docs/operations.md");
    }
    assertThat(performed).isEmpty();
  }

  @Test
  void anOffsetThatAnotherProgramHasSetIsNotObeyed() throws Exception {
    performTen();
    get(admin.alterConsumerGroupOffsets(group, Map.of(in, new OffsetAndMetadata(5))).all());
    try (Instance instance = new Instance().start()) {
      instance.awaitFailed("another program has set the offset of its consumer group to 5");
    }
    assertThat(performed).isEmpty();
  }

  @Test
  void anOffsetThatTheBrokersHaveForgottenIsNoticed() throws Exception {
    performTen();
    get(admin.deleteConsumerGroupOffsets(group, Set.of(in)).all());
    try (Instance instance = new Instance().start()) {
      instance.awaitFailed("its consumer group has no offset");
    }
    assertThat(performed).isEmpty();
  }

  @Test
  void anOperatorSetsTheOffsetOfAServiceWithoutAnswers() throws Exception {
    try (Instance instance = new Instance()) {
      instance.send(0, 10);
    }
    get(admin.alterConsumerGroupOffsets(group, Map.of(in, new OffsetAndMetadata(7))).all());
    try (Instance instance = new Instance().start()) {
      instance.awaitCommitted(10);
    }
    assertThat(performed).containsExactly(7L, 8L, 9L);
  }

  /** A call that hangs does not keep its partition from the other instances. */
  @Tag("proof")
  @Test
  void anInstanceGivesItsPartitionsUpAlthoughCallsHang() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    partitions = 2;
    try (Instance hanging = new Instance();
        Instance other = new Instance()) {
      perform =
          number -> {
            performed.add(number);
            if (performed.size() <= 2) {
              released.await();
            }
          };
      hanging.start();
      for (int partition = 0; partition < 2; partition++) {
        try (Writer<Numbers> writer = NUMBERS.writer(hanging.queues.in(), partition)) {
          writer.calls().square(partition);
        }
      }
      await().until(() -> performed.size() == 2);
      other.start();
      await().until(() -> performed.size() == 4);
      released.countDown();
      other.awaitCommitted(0, 1);
      other.awaitCommitted(1, 1);
      assertThat(performed).hasSize(4);
      try (Tailer answers = hanging.queues.out().tailer(0)) {
        List<Long> positions = new ArrayList<>();
        answers.pollBefore(
            answers.end(), Duration.ofSeconds(20), (position, _) -> positions.add(position));
        assertThat(answers.poll(10, (position, _) -> positions.add(position))).isZero();
      }
      for (Instance each : List.of(hanging, other)) {
        await().until(() -> each.service.states().size() == 1);
      }
    } finally {
      released.countDown();
    }
  }

  @Test
  void callsWhoseAnswersTheBrokersRefuseArePerformedOnce() throws Exception {
    ConfigResource out = new ConfigResource(ConfigResource.Type.TOPIC, prefix + "squares.out");
    ConfigEntry limit = new ConfigEntry("max.message.bytes", "1000");
    AlterConfigOp change = new AlterConfigOp(limit, AlterConfigOp.OpType.SET);
    answerLength = 50_000;
    try (Instance instance = new Instance().start()) {
      get(admin.incrementalAlterConfigs(Map.of(out, List.of(change))).all());
      for (long next = 0; !instance.hasFailed(); next++) { // the broker applies the limit soon
        instance.send(next, next + 1);
        long committed = next + 1;
        await()
            .atMost(Duration.ofSeconds(20))
            .ignoreExceptionsInstanceOf(QueueUnavailable.class) // a transaction is open
            .until(() -> instance.hasFailed() || instance.committed() >= committed);
      }
      instance.awaitFailed("the brokers refuse it for good");
    }
    assertThat(performed).isNotEmpty().doesNotHaveDuplicates();
  }
}
