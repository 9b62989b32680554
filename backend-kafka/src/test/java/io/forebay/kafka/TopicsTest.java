/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics that are there already, that change, and that cannot be reached. */
class TopicsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String LARGE = Integer.toString(Topics.MAX_RECORD_BYTES);

  private final String prefix = UUID.randomUUID() + ".";
  private final Admin admin = Admin.create(Map.of("bootstrap.servers", TestBroker.shared()));
  private final KafkaBackend backend = open(TestBroker.shared());

  private KafkaBackend open(String bootstrap) {
    return KafkaBackend.open(KafkaBackend.Options.of(bootstrap).withPrefix(prefix));
  }

  @AfterEach
  void close() {
    backend.close();
    admin.close();
  }

  private void create(Map<String, String> configs) throws Exception {
    NewTopic topic = new NewTopic(prefix + "orders", 1, (short) 1).configs(configs);
    admin.createTopics(List.of(topic)).all().get(120, TimeUnit.SECONDS);
    // the broker may learn of it a moment after the controller has created it
    await()
        .ignoreExceptions()
        .until(() ->
            !admin
                .describeTopics(List.of(topic.name()))
                .allTopicNames()
                .get(120, TimeUnit.SECONDS)
                .isEmpty());
  }

  @Test
  void aClusterWhoseTransactionsCanMixIsRefused(@TempDir Path directory) throws Exception {
    BrokerProcess broker = TestBroker.start(directory, Map.of());
    try (Admin own = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
        KafkaBackend opened = open(broker.bootstrap())) {
      FeatureUpdate lower = new FeatureUpdate((short) 1, FeatureUpdate.UpgradeType.SAFE_DOWNGRADE);
      own.updateFeatures(Map.of("transaction.version", lower), new UpdateFeaturesOptions())
          .all()
          .get(120, TimeUnit.SECONDS);
      await()
          .untilAsserted(() ->
              assertThatThrownBy(() -> opened.open("orders", 1).close())
                  .hasMessageContaining("transaction.version=1; set it to 2"));
    } finally {
      broker.kill();
    }
  }

  @Test
  void aTopicThatWouldLoseOrRefuseMessagesIsRefusedWithAllErrors() throws Exception {
    create(Map.of("cleanup.policy", "compact,delete", "min.insync.replicas", "2"));
    assertThatIllegalStateException()
        .isThrownBy(() -> backend.open("orders", 2))
        .withMessageContaining(prefix + "orders")
        .withMessageContaining("has 1 partitions, but 2 are configured")
        .withMessageContaining("set its cleanup.policy to delete")
        .withMessageContaining("set its max.message.bytes to at least 1,310,720")
        .withMessageContaining("min.insync.replicas is 2 but it has 1 replicas");
  }

  @Test
  void aTopicWithAnotherNumberOfPartitionsIsRefused() throws Exception {
    create(Map.of("max.message.bytes", LARGE));
    assertThatIllegalStateException()
        .isThrownBy(() -> backend.open("orders", 2))
        .withMessageContaining("has 1 partitions, but 2 are configured");
  }

  @Test
  void aSettingThatWeakensAGuaranteeIsAWarningAndLowersTheLevel() throws Exception {
    create(
        Map.of(
            "max.message.bytes", LARGE,
            "retention.ms", "3600000",
            "retention.bytes", "1000000",
            "unclean.leader.election.enable", "true"));
    KafkaMessageQueue queue = (KafkaMessageQueue) backend.open("orders", 1, Duration.ofHours(72));
    assertThat(warnings(queue))
        .contains("one replica", "1 h", "3 d", "retention.bytes", "unclean", "LogAppendTime");
    assertThat(queue.capabilities().strongest()).isEqualTo(Level.PROCESS);
    assertThat(queue.keptFor()).contains(Duration.ofHours(1));
  }

  private static String warnings(KafkaMessageQueue queue) {
    return String.join("\n", queue.connection().settings().orElseThrow().warnings());
  }

  @Test
  void aRetentionShorterThanConfiguredIsAWarning() throws Exception {
    create(Map.of("max.message.bytes", LARGE, "retention.ms", "60000"));
    KafkaMessageQueue queue = (KafkaMessageQueue) backend.open("orders", 1);
    assertThat(warnings(queue))
        .contains("deletes messages after 1 m, performed or not")
        .contains("7 d are configured")
        .contains("set its retention.ms to at least 604800000");
  }

  @Test
  void aRetentionChangedWhileTheTopicIsOpenTakesEffect() throws Exception {
    try (KafkaBackend reading =
            new KafkaBackend(
                KafkaBackend.Options.of(TestBroker.shared()).withPrefix(prefix),
                Duration.ofMillis(100));
        KafkaMessageQueue queue = (KafkaMessageQueue) reading.open("orders", 1)) {
      assertThat(queue.keptFor()).contains(Duration.ofDays(7));
      assertThat(warnings(queue)).doesNotContain("LogAppendTime");
      alter("retention.ms", "7200000");
      await().until(() -> queue.keptFor().equals(Optional.of(Duration.ofHours(2))));
      assertThat(warnings(queue)).contains("deletes messages after 2 h");
      assertThat(queue.keepsWhatIsNeeded()).isFalse();
      alter("cleanup.policy", "compact");
      await().until(() -> warnings(queue).contains("it is compacted"));
      alter("retention.ms", "-1");
      await().until(queue::keepsWhatIsNeeded);
      assertThat(queue.keptFor()).isEmpty();
    }
  }

  private void alter(String setting, String value) throws Exception {
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, prefix + "orders"),
                List.of(
                    new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET))))
        .all()
        .get(120, TimeUnit.SECONDS);
  }

  @Test
  void addedPartitionsAreReported() throws Exception {
    MessageQueue queue = backend.open("orders", 2);
    try (Appender appender = queue.appender();
        Tailer tailer = queue.tailer(0)) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1}));
      appender.await(1, PATIENCE);
      admin
          .createPartitions(Map.of(prefix + "orders", NewPartitions.increaseTo(3)))
          .all()
          .get(120, TimeUnit.SECONDS);
      await().until(() -> queue.outage().isPresent());
      assertThat(queue.outage().orElseThrow().reason()).isEqualTo(QueueRefused.Reason.FAILED);
      assertThat(queue.outage().orElseThrow().text())
          .contains(prefix + "orders now has 3 partitions, but the queue was opened with 2")
          .contains("Partitions were added");
      assertThatThrownBy(() -> appender.append(0, ByteBuffer.wrap(new byte[] {2})))
          .isInstanceOf(QueueRefused.class)
          .hasMessageContaining("3 partitions");
      assertThat(tailer.pollBefore(1, PATIENCE, (_, _) -> {})).isTrue();
    }
  }

  /** Of several brokers one may not know it yet when another has created it. */
  @Test
  void waitsForATopicThatTheBrokerDoesNotKnowYet() {
    try (Topics topics =
        new Topics(KafkaBackend.Options.of(TestBroker.shared()).withPrefix(prefix))) {
      assertThatThrownBy(() -> topics.config(prefix + "orders"))
          .isInstanceOf(QueueUnavailable.class)
          .hasMessageContaining("not all brokers know topic " + prefix + "orders yet");
    }
  }

  @Test
  void aRecreatedTopicIsNeitherReadNorWritten() throws Exception {
    MessageQueue queue = backend.open("orders", 1);
    String before = queue.identity();
    try (Appender appender = queue.appender();
        Tailer tailer = queue.tailer(0)) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1}));
      appender.await(1, PATIENCE);
      admin.deleteTopics(List.of(prefix + "orders")).all().get(120, TimeUnit.SECONDS);
      await().ignoreExceptions().untilAsserted(() -> create(Map.of("max.message.bytes", LARGE)));
      await()
          .until(() -> queue.outage().map(QueueOutage::text).orElse("").contains("created again"));
      assertThat(queue.outage().orElseThrow().text()).contains(before);
      assertThatThrownBy(() -> appender.append(0, ByteBuffer.wrap(new byte[] {2})))
          .isInstanceOf(QueueRefused.class)
          .hasMessageContaining("created again")
          .extracting(it -> ((QueueRefused) it).reason())
          .isEqualTo(QueueRefused.Reason.FAILED);
      assertThatThrownBy(() -> tailer.pollBefore(1, PATIENCE, (_, _) -> {}))
          .isInstanceOf(QueueFailed.class)
          .hasMessageContaining("created again");
    }
  }

  @Tag("proof")
  @Test
  void aQueueClosedBeforeItsClusterRespondsCreatesNoTopic(@TempDir Path directory)
      throws Exception {
    int port = Ports.free();
    BrokerProcess broker = null;
    try (KafkaBackend away = open("127.0.0.1:" + port)) {
      away.open("orders", 1).close();
      MessageQueue other = away.open("others", 1);
      broker = TestBroker.start(directory, port, Map.of());
      await().until(() -> other.outage().isEmpty());
      try (Admin there = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
        await()
            .during(Duration.ofSeconds(3))
            .until(() ->
                there
                    .listTopics()
                    .names()
                    .get(120, TimeUnit.SECONDS)
                    .equals(Set.of(prefix + "others")));
      }
    } finally {
      if (broker != null) {
        broker.kill();
      }
    }
  }

  @Tag("proof")
  @Test
  void aDeletedTopicDoesNotMakeOtherTopicsUnavailable(@TempDir Path directory) throws Exception {
    BrokerProcess broker = TestBroker.start(directory, Map.of());
    try (KafkaBackend own = open(broker.bootstrap());
        MessageQueue kept = own.open("kept", 1);
        MessageQueue lost = own.open("lost", 1);
        Appender appender = kept.appender()) {
      try (Admin brokers = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
        brokers.deleteTopics(List.of(prefix + "lost")).all().get(120, TimeUnit.SECONDS);
      }
      await().until(() -> lost.outage().isPresent());
      assertThat(kept.outage()).isEmpty();
      broker.kill();
      await().until(() -> kept.outage().isPresent());
      broker.restart();
      await().until(() -> kept.outage().isEmpty());
      appender.append(0, ByteBuffer.wrap(new byte[] {1}));
      appender.await(1, PATIENCE);
      assertThat(lost.outage().orElseThrow().text()).contains("no longer exists");
    } finally {
      broker.kill();
    }
  }

  @Test
  void aQueueWhoseBrokerNamesDoNotResolveOpensAndRefusesWithTheReason() {
    try (KafkaBackend away = open("broker.invalid:9092");
        MessageQueue queue = away.open("orders", 2);
        Appender appender = queue.appender()) {
      QueueOutage outage = queue.outage().orElseThrow();
      assertThat(outage.reason()).isEqualTo(QueueRefused.Reason.UNAVAILABLE);
      assertThat(outage.text()).contains("No resolvable bootstrap urls");
      assertThatThrownBy(() -> appender.append(0, ByteBuffer.allocate(1)))
          .isInstanceOf(QueueRefused.class);
    }
  }

  @Test
  void aQueueWithoutItsClusterOpensAndRefusesWithTheReason() throws IOException {
    try (KafkaBackend away = open("127.0.0.1:" + Ports.free());
        MessageQueue queue = away.open("orders", 2);
        Appender appender = queue.appender()) {
      assertThat(queue.partitions()).isEqualTo(2);
      assertThat(queue.outage().orElseThrow().reason()).isEqualTo(QueueRefused.Reason.UNAVAILABLE);
      assertThat(queue.stats(0).refusal()).isNotNull();
      assertThat(queue.stats(0).end()).isEmpty();
      assertThat(queue.keptFor()).isEmpty();
      assertThat(queue.keepsWhatIsNeeded()).isFalse();
      assertThatThrownBy(() -> appender.append(0, ByteBuffer.allocate(1)))
          .isInstanceOf(QueueRefused.class)
          .extracting(it -> ((QueueRefused) it).retryAfter())
          .isEqualTo(Duration.ofSeconds(1));
      assertThatThrownBy(() -> queue.tailer(0)).isInstanceOf(QueueUnavailable.class);
      assertThatThrownBy(queue::identity).isInstanceOf(QueueUnavailable.class);
    }
  }
}
