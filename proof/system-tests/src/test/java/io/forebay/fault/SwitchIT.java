/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Results;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.Level;
import io.forebay.queue.QueueRefused;
import io.forebay.service.ServiceState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A gateway moves from Chronicle to Kafka and back: drained on one backend, adopted on the other.
 */
class SwitchIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int PARTITIONS = ServiceArguments.PARTITIONS;

  private final String kafka = Queues.kafka(TestBroker.shared(), UUID.randomUUID() + ".");

  @TempDir Path directory;

  /** With {@code FAILURES_ONLY} the out-queues do not show what was performed. */
  @ParameterizedTest
  @EnumSource
  void aDrainedGatewayContinuesOnTheOtherBackendAndReturns(Results results) throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      Target target = new Target.Postgres(postgres.url());
      target.createTables();
      for (long step = 0; step < 4; step++) {
        String where = step % 2 == 0 ? directory.toString() : kafka;
        try (TestGateway gateway =
            new TestGateway(Queues.open(where, Level.PROCESS), target, PARTITIONS, results)) {
          if (step < 2) {
            gateway.send(step * 1_000, step * 1_000 + 500); // before it is started
            gateway.start();
          } else { // this queue was drained
            gateway.start();
            gateway.awaitCompared();
            gateway.send(step * 1_000, step * 1_000 + 500);
          }
          gateway.send(step * 1_000 + 500, (step + 1) * 1_000);
          await().until(() -> gateway.service.states().size() == PARTITIONS);
          assertThat(gateway.service.drain(SOON)).isTrue();
          assertThat(gateway.effects()).isEqualTo(numbers(0, (step + 1) * 1_000));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDrainedGatewayAcceptsNothingBeforeItIsStartedAndComparedAgain(boolean onKafka)
      throws Exception {
    String former = onKafka ? kafka : directory.toString();
    String other = onKafka ? directory.toString() : kafka;
    try (TestPostgres postgres = TestPostgres.shared()) {
      Target target = new Target.Postgres(postgres.url());
      target.createTables();
      try (TestGateway gateway = open(former, target)) {
        gateway.send(0, 500);
        gateway.start();
        await().until(() -> gateway.service.states().size() == PARTITIONS);
        assertThat(gateway.service.drain(SOON)).isTrue();
      }
      try (TestGateway gateway = open(former, target)) { // as while the database is away
        assertThatThrownBy(() -> gateway.send(500, 503))
            .isInstanceOf(QueueRefused.class)
            .hasMessageContaining("was drained");
      }
      try (TestGateway gateway = open(other, target).start()) {
        gateway.send(500, 1_000);
        await().until(() -> gateway.effects().size() == 1_000);
        await().until(() -> gateway.service.states().size() == PARTITIONS);
        assertThat(gateway.service.drain(SOON)).isTrue();
      }
      try (TestGateway gateway = open(former, target).start()) {
        gateway.awaitCompared();
        gateway.send(1_000, 1_500);
        await().until(() -> gateway.effects().size() == 1_500);
        assertThat(gateway.effects()).isEqualTo(numbers(0, 1_500));
      }
    }
  }

  @Test
  void aGatewayThatWasNotDrainedIsRefusedOnTheOtherBackend() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      Target target = new Target.Postgres(postgres.url());
      target.createTables();
      String identity;
      try (TestGateway gateway = open(directory.toString(), target)) {
        identity = gateway.service.in().identity();
        gateway.send(0, 1_000);
        gateway.start();
        await().until(() -> gateway.effects().size() == 1_000);
      }
      try (TestGateway gateway = open(kafka, target)) {
        gateway.send(1_000, 2_000);
        gateway.start();
        await().until(() -> gateway.service.states().size() == PARTITIONS);
        await()
            .until(() ->
                gateway.service.states().values().stream()
                    .allMatch(state -> state.phase() == ServiceState.Phase.FAILED));
        assertThat(gateway.service.state().reason())
            .contains(
                "has performed queue " + identity,
                "has not drained it, but was started with queue " + gateway.service.in().identity(),
                "start it with the previous queue and drain it");
        assertThat(gateway.effects()).isEqualTo(numbers(0, 1_000));
      }
      // On its own backend it resumes and can be drained.
      try (TestGateway gateway = open(directory.toString(), target).start()) {
        assertThat(gateway.service.drain(SOON)).isTrue();
      }
      try (TestGateway gateway = open(kafka, target).start()) {
        await().until(() -> gateway.effects().size() == 2_000);
        assertThat(gateway.effects()).isEqualTo(numbers(0, 2_000));
      }
    }
  }

  @Test
  @Tag("proof")
  void aPartitionMissingOnTheOtherBackendMustBeDrainedToo() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      Target target = new Target.Postgres(postgres.url());
      target.createTables();
      try (TestGateway gateway = open(kafka, target).start()) {
        gateway.send(0, 1_000);
        await().until(() -> gateway.effects().size() == 1_000);
        await().until(() -> gateway.service.states().size() == PARTITIONS);
        assertThat(gateway.service.drain(SOON)).isTrue();
      }
      execute(target, "update forebay.progress set drained = false where partition_id = 1");
      try (TestGateway gateway = open(directory.toString(), target, 1).start()) {
        await().until(() -> gateway.service.state().phase() == ServiceState.Phase.FAILED);
        assertThat(gateway.service.state().reason())
            .contains("partition 1 of service", "has not drained it, but was started with queue");
      }
      execute(target, "update forebay.progress set drained = true where partition_id = 1");
      try (TestGateway gateway = open(directory.toString(), target, 1).start()) {
        gateway.send(1_000, 1_100);
        await().until(() -> gateway.effects().size() == 1_100);
      }
    }
  }

  private static void execute(Target target, String sql) throws SQLException {
    try (Connection connection = target.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static TestGateway open(String where, Target target) {
    return open(where, target, PARTITIONS);
  }

  private static TestGateway open(String where, Target target, int partitions) {
    return new TestGateway(Queues.open(where, Level.PROCESS), target, partitions);
  }

  private static List<Long> numbers(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }
}
