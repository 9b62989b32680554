/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Writer;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.kafka.KafkaBackend;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.service.ServiceState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Events that affect a gateway's topics and its group membership, without a kill. */
@Tag("proof")
@ExtendWith(OutputCaptureExtension.class)
class KafkaTopicsIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int PARTITIONS = ServiceArguments.PARTITIONS;

  private final TestPostgres postgres = TestPostgres.shared();
  private final Target target = new Target.Postgres(postgres.url());
  private final String prefix = UUID.randomUUID() + ".";
  private final String servers = TestBroker.shared();

  @BeforeEach
  void createTables() throws SQLException {
    target.createTables();
  }

  @AfterEach
  void close() {
    postgres.close();
  }

  private QueueBackend backend(Map<String, String> properties) {
    Map<String, String> client = new HashMap<>(properties);
    client.put("bootstrap.servers", servers);
    KafkaBackend.Options usual = KafkaBackend.Options.of(servers);
    return KafkaBackend.open(
        new KafkaBackend.Options(
            client,
            prefix,
            usual.replication(),
            usual.retention(),
            usual.keys(),
            usual.trustUnproven()));
  }

  private TestGateway gateway(int partitions) {
    return new TestGateway(backend(Map.of()), target, partitions);
  }

  private String topic(String side) {
    return prefix + ServiceArguments.SERVICE + "." + side;
  }

  private List<Long> sources() {
    List<Long> sources = new ArrayList<>();
    Source.plainConsumer(servers, prefix)
        .read(
            ServiceArguments.SERVICE + ".out",
            0,
            (position, message) ->
                sources.add(Message.peek("out", 0, position, message).source().orElseThrow()));
    return sources;
  }

  private static List<Long> numbers(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  @Test
  void abortedForeignTransactionsAreSkippedAndLeaveGaps() throws Exception {
    try (TestGateway gateway = gateway(1);
        KafkaProducer<byte[], byte[]> foreign = foreign()) {
      transaction(foreign, true, 1, 2); // at 0 and 1, and its end at 2
      transaction(foreign, false, 3, 4); // up to 5
      gateway.send(5, 6); // at 6
      transaction(foreign, true, 6); // at 7 and 8
      transaction(foreign, false, 7); // at 9 and 10
      gateway.start();
      await().until(() -> gateway.effects().equals(List.of(1L, 2L, 5L, 6L)));
      await().until(() -> sources().equals(List.of(0L, 1L, 6L, 7L)));

      gateway.service.stop();
      transaction(foreign, false, 8); // at 11 and 12
      transaction(foreign, true, 9); // at 13 and 14
      gateway.start();
      await().until(() -> gateway.effects().equals(List.of(1L, 2L, 5L, 6L, 9L)));
      assertThat(gateway.service.drain(SOON)).isTrue();
      // A transaction marker is not a message and has no answer.
      assertThat(sources()).containsExactly(0L, 1L, 6L, 7L, 13L);
      assertThat(gateway.effects()).containsExactly(1L, 2L, 5L, 6L, 9L);
    }
  }

  @Test
  void messagesAfterAnOpenForeignTransactionCountAsLagAndADrainWaitsForThem() throws Exception {
    try (TestGateway gateway = gateway(1).start();
        KafkaProducer<byte[], byte[]> foreign = foreign()) {
      gateway.send(0, 1);
      await().atMost(SOON).until(() -> gateway.effects().equals(numbers(0, 1)));
      foreign.beginTransaction();
      TestGateway.messages(1)
          .forEach(bytes -> foreign.send(new ProducerRecord<>(topic("in"), 0, null, bytes)));
      foreign.flush(); // at 1
      gateway.send(10, 20);
      await().atMost(SOON).until(() -> gateway.service.view().behind().equals(OptionalLong.of(11)));
      await()
          .atMost(SOON)
          .untilAsserted(() ->
              assertThat(gateway.service.view().state().reason())
                  .contains("blocked at position 1", "transactional id " + prefix + "foreign"));
      assertThat(gateway.service.view().stall()).isPresent();

      assertThat(gateway.service.drain(Duration.ofSeconds(1))).isFalse();
      assertThat(gateway.service.view().state().phase()).isEqualTo(ServiceState.Phase.DRAINING);
      assertThat(gateway.service.view().state().reason()).contains("blocked at position 1");
      assertThat(gateway.effects()).isEqualTo(numbers(0, 1));

      foreign.abortTransaction();
      assertThat(gateway.service.drain(SOON)).isTrue();
      assertThat(gateway.effects())
          .isEqualTo(
              LongStream.concat(LongStream.of(0), LongStream.range(10, 20)).boxed().toList());
      await().atMost(SOON).until(() -> gateway.service.view().behind().equals(OptionalLong.of(0)));
    }
  }

  @Test
  void transactionMarkersDoNotCountAsLag() throws Exception {
    try (TestGateway gateway = gateway(1).start();
        KafkaProducer<byte[], byte[]> foreign = foreign()) {
      gateway.send(0, 1);
      await().atMost(SOON).until(() -> gateway.effects().equals(numbers(0, 1)));
      transaction(foreign, false, 1); // up to 3
      await()
          .atMost(SOON)
          .until(() ->
              gateway.service.view().partitions().getFirst().end().equals(OptionalLong.of(3)));
      await().atMost(SOON).until(() -> gateway.service.view().behind().equals(OptionalLong.of(0)));
    }
  }

  @Test
  void aRecordWithoutAValueIsADeadLetterAndTheNextOneIsPerformed() throws Exception {
    try (TestGateway gateway = gateway(1).start();
        KafkaProducer<byte[], byte[]> foreign = foreign()) {
      foreign.beginTransaction();
      foreign.send(new ProducerRecord<>(topic("in"), 0, null, null));
      foreign.commitTransaction();
      gateway.send(0, 5);
      await().until(() -> gateway.effects().equals(numbers(0, 5)));
      assertThat(Observer.contents(target).deadLetters()).isEqualTo(1);
    }
  }

  @Test
  void aDrainAddsNoResultForARecordThatHasNone() throws Exception {
    try (TestGateway gateway = gateway(1).start();
        KafkaProducer<byte[], byte[]> foreign = foreign()) {
      gateway.send(0, 1);
      await().until(() -> gateway.effects().equals(numbers(0, 1)));
      foreign.beginTransaction();
      foreign.send(new ProducerRecord<>(topic("in"), 0, null, null)); // at 1, and its end at 2
      foreign.commitTransaction();
      await().until(() -> end() == 3);
      transaction(foreign, false, 2, 3); // up to 5
      await().until(() -> Observer.contents(target).deadLetters() == 1);
      assertThat(gateway.service.drain(SOON)).isTrue();
      assertThat(sources()).containsExactly(0L);
    }
    // A restarted gateway finds that nothing is left.
    try (TestGateway gateway = gateway(1).start()) {
      gateway.awaitCompared();
      gateway.send(5, 6);
      await().until(() -> gateway.effects().equals(List.of(0L, 5L)));
      assertThat(Observer.contents(target).deadLetters()).isEqualTo(1);
    }
  }

  @Test
  void theLagOfOtherInstancesComesFromTheProgressNotFromCommittedOffsets() throws Exception {
    try (TestGateway working = gateway(1).start();
        TestGateway looking = gateway(1)) {
      working.send(0, 100);
      await().atMost(SOON).until(() -> working.effects().equals(numbers(0, 100)));
      await().atMost(SOON).until(() -> looking.service.view().behind().equals(OptionalLong.of(0)));

      pause(working.service, "so that something waits");
      await()
          .atMost(SOON)
          .until(() -> working.service.state().phase() == ServiceState.Phase.PAUSED);
      working.send(100, 130);
      await().atMost(SOON).until(() -> looking.service.view().behind().equals(OptionalLong.of(30)));
      working.service.resume();
      await().atMost(SOON).until(() -> looking.service.view().behind().equals(OptionalLong.of(0)));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      String group = topic("in") + "-" + ServiceArguments.SERVICE;
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .untilAsserted(() -> admin.deleteConsumerGroups(List.of(group)).all().get());
    }
    try (TestGateway looking = gateway(1)) {
      await().atMost(SOON).until(() -> looking.service.view().behind().isPresent());
      assertThat(looking.service.view().behind()).hasValue(0);
    }
  }

  private KafkaProducer<byte[], byte[]> foreign() {
    KafkaProducer<byte[], byte[]> foreign =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                servers,
                "transactional.id",
                prefix + "foreign",
                "transaction.timeout.ms",
                "600000"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    foreign.initTransactions();
    return foreign;
  }

  /**
   * Sends a transaction and waits for its marker, which the brokers write shortly after they answer
   * the producer.
   */
  private void transaction(KafkaProducer<byte[], byte[]> foreign, boolean commit, long... numbers)
      throws Exception {
    long behind = end() + numbers.length + 1;
    foreign.beginTransaction();
    TestGateway.messages(numbers)
        .forEach(bytes -> foreign.send(new ProducerRecord<>(topic("in"), 0, null, bytes)));
    foreign.flush();
    if (commit) {
      foreign.commitTransaction();
    } else {
      foreign.abortTransaction();
    }
    await().until(() -> end() == behind);
  }

  private long end() throws Exception {
    TopicPartition in = new TopicPartition(topic("in"), 0);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      return admin.listOffsets(Map.of(in, OffsetSpec.latest())).all().get().get(in).offset();
    }
  }

  /** Simulates a former member that learned late of its removal, took over and then left. */
  @Test
  void anOwnerFencedByAStragglerContinuesBecauseThePartitionIsStillItsOwn(CapturedOutput output)
      throws Exception {
    try (TestGateway gateway = gateway(1).start()) {
      gateway.send(0, 10);
      await().until(() -> gateway.effects().equals(numbers(0, 10)));
      execute("update forebay.progress set epoch = epoch + 1, owner = 'a straggler'");
      gateway.send(10, 20);
      await().until(() -> gateway.effects().equals(numbers(0, 20)));
      // the state lasts for milliseconds
      assertThat(output)
          .containsPattern("Fenced: .*taken over by a straggler.*has stopped working");
    }
  }

  @Test
  void aRecreatedTopicIsRefused() throws Exception {
    String before;
    try (TestGateway gateway = gateway(1).start()) {
      before = gateway.service.in().identity();
      gateway.send(0, 10);
      await().until(() -> gateway.effects().equals(numbers(0, 10)));
    }
    delete(topic("in"));
    try (TestGateway gateway = gateway(1)) {
      gateway.send(10, 30);
      gateway.start();
      await().until(() -> gateway.service.state().phase() == ServiceState.Phase.FAILED);
      assertThat(gateway.service.state().reason())
          .contains(
              "has performed queue " + before + " up to 10 and has not drained it",
              "was started with queue " + gateway.service.in().identity(),
              "start it with the previous queue and drain it; if that queue is lost",
              "docs/operations.md");
      assertThat(gateway.effects()).isEqualTo(numbers(0, 10));
    }
    // as the message recommends
    delete(topic("in"));
    delete(topic("out"));
    execute(
        "delete from forebay.outcome where service = 'orders'",
        "delete from forebay.progress where service = 'orders'");
    try (TestGateway gateway = gateway(1).start()) {
      gateway.send(10, 15); // fewer than were performed before
      await().until(() -> gateway.effects().equals(numbers(0, 15)));
      await().until(() -> sources().equals(numbers(0, 5)));
    }
  }

  @Test
  void unperformedMessagesDeletedByRetentionAreReportedAndCanBeSkipped() throws Exception {
    try (TestGateway gateway = gateway(1).start()) {
      gateway.send(0, 10);
      await().until(() -> gateway.effects().equals(numbers(0, 10)));
      gateway.service.stop();
      gateway.send(10, 20);
      deleteBefore(15);
      gateway.start();
      await().until(() -> gateway.service.state().phase() == ServiceState.Phase.FAILED);
      assertThat(gateway.service.state().reason())
          .contains("begins at 15, but the next position to read is 10", "docs/operations.md");
      gateway.service.stop();
      execute(
          "insert into forebay.outcome (service, partition_id, queue_id, to_position)"
              + " select service, partition_id, queue_id, 15 from forebay.progress");
      gateway.start();
      await()
          .until(() ->
              gateway
                  .effects()
                  .equals(
                      LongStream.concat(LongStream.range(0, 10), LongStream.range(15, 20))
                          .boxed()
                          .toList()));
    }
  }

  private void deleteBefore(long position) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      TopicPartition in = new TopicPartition(topic("in"), 0);
      admin.deleteRecords(Map.of(in, RecordsToDelete.beforeOffset(position))).all().get();
    }
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = target.owner().getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private void delete(String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin.deleteTopics(Set.of(topic)).all().get();
      await().until(() -> !admin.listTopics().names().get().contains(topic));
    }
  }

  @Test
  void aTooLargeMessageIsRefusedAndTheNextOneIsAccepted() throws Exception {
    try (TestGateway gateway = gateway(1).start();
        Writer<JDBCStatement> writer = gateway.service.createWriter()) {
      String insert = "insert into list (name, numbers) values (?, ?)";
      assertThatThrownBy(() -> writer.calls().executeUpdate(insert, "large", "x".repeat(1 << 20)))
          .isInstanceOfSatisfying(
              QueueRefused.class,
              refused -> assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.TOO_LARGE))
          .hasMessageContaining("limit");
      writer.calls().executeUpdate(insert, "nearly", "x".repeat((1 << 20) - 500));
      writer.await(SOON);
      gateway.send(0, 1);
      await().until(() -> gateway.effects().equals(numbers(0, 1)));
      await().until(() -> sources().size() == 2);
    }
  }

  @Test
  void aStatementRefusedLateByTheBrokersFailsAndTheClientContinues() throws Exception {
    try (TestGateway gateway = gateway(1).start();
        StatementClient client = gateway.service.createClient()) {
      String insert = "insert into list (name, numbers) values (?, ?)";
      assertThat(client.executeUpdate(insert, "before", "1").get()).isEqualTo(1);
      setMaxMessageBytes(20_000);
      Pending<Long> large = client.executeUpdate(insert, "large", "x".repeat(50_000));
      assertThatThrownBy(() -> large.get(120, TimeUnit.SECONDS))
          .hasCauseInstanceOf(QueueFailed.class)
          .hasMessageContaining("did not acknowledge a message");
      assertThatThrownBy(() -> large.awaitAccepted(SOON)).isInstanceOf(QueueFailed.class);

      assertThat(client.executeUpdate(insert, "behind", "2").get(120, TimeUnit.SECONDS))
          .isEqualTo(1);
      assertThat(client.outstanding()).isZero();
      assertThat(gateway.service.drain(SOON)).isTrue();
      assertThat(sources()).containsExactly(0L, 1L);
    }
  }

  private void setMaxMessageBytes(int bytes) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      ConfigResource in = new ConfigResource(ConfigResource.Type.TOPIC, topic("in"));
      ConfigEntry size = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
      admin
          .incrementalAlterConfigs(
              Map.of(in, List.of(new AlterConfigOp(size, AlterConfigOp.OpType.SET))))
          .all()
          .get();
      await()
          .until(
              () -> admin.describeConfigs(List.of(in)).all().get().get(in).get(size.name()).value(),
              size.value()::equals);
    }
  }

  /**
   * A member that must give partitions away finishes its current batch first. If that takes longer
   * than {@code max.poll.interval.ms}, it is removed from the group, and others take over.
   */
  @Test
  void aMemberThatIsBusyForTooLongIsReplacedAndReturns() throws Exception {
    try (TestGateway slow =
            new TestGateway(backend(Map.of("max.poll.interval.ms", "1500")), target, PARTITIONS);
        TestGateway other = gateway(PARTITIONS);
        Connection locking = target.owner().getConnection();
        Statement statement = locking.createStatement()) {
      Workload.createTally(locking, Workload.SHARED_TALLY);
      slow.start();
      await().until(() -> isRunning(slow, PARTITIONS));

      locking.setAutoCommit(false);
      statement.execute("update tally set last = last");
      slow.send(Kind.TALLY, Workload.SHARED_TALLY, 0, 60);
      Thread.sleep(300); // in each partition a statement is waiting for the lock
      other.start();
      await().until(() -> other.service.states().size() == PARTITIONS);
      locking.commit();

      await().until(() -> !slow.service.states().isEmpty());
      slow.send(Kind.TALLY, Workload.SHARED_TALLY, 60, 120);
      await().until(() -> tally() == 120);
      await().until(() -> isRunning(slow, 1));
      assertThat(tally()).isEqualTo(120);
    }
  }

  private static boolean isRunning(TestGateway gateway, int partitions) {
    return gateway.service.states().values().stream()
            .filter(state -> state.phase() == ServiceState.Phase.RUNNING)
            .count()
        >= partitions;
  }

  private long tally() throws SQLException {
    return Observer.contents(target).tallies().get(Workload.SHARED_TALLY).count();
  }
}
