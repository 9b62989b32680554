/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.database.SwitchableDataSource;
import io.forebay.database.TestDatabase;
import io.forebay.operations.DesiredState;
import io.forebay.operations.Services;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.DesiredStateFollower;
import io.forebay.system.DesiredStateTable;
import io.forebay.system.SystemDatabase;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pause that holds after a restart and in every instance, on every database. */
abstract class DesiredStateContract {

  private static final String INSERT = "insert into item (id) values (?)";

  @TempDir Path directory;
  TestDatabase database;
  SystemDatabase system;
  SwitchableDataSource source;
  JDBCService service;
  final MemoryBackend backend = MemoryBackend.open();

  abstract TestDatabase open(Path directory) throws SQLException;

  @BeforeEach
  void start() throws SQLException {
    database = open(directory);
    database.createTable("item", "id bigint");
    source = new SwitchableDataSource(database.owner());
    system = new SystemDatabase(source, source);
    service =
        JDBCService.builder("shop")
            .queues(backend, 1)
            .dataSource(database.gateway())
            .migrate(database.owner())
            .build();
  }

  @AfterEach
  void stop() throws SQLException {
    service.close();
    system.close();
    backend.close();
    database.close();
  }

  private Services services() {
    return new Services(List.of(service), new DesiredStateTable(system));
  }

  private void awaitPhase(Phase phase) {
    await().until(() -> service.state().phase() == phase);
  }

  @Test
  void keepsWhatWasWantedLastOfEachService() {
    DesiredStateTable states = new DesiredStateTable(system);
    assertThat(states.all()).isEmpty();
    Instant at = Instant.now().truncatedTo(ChronoUnit.MICROS);
    DesiredState paused = new DesiredState("shop", true, "migration", "olga", at);
    DesiredState other = new DesiredState("other", true, "", "olga", at);
    DesiredState running = new DesiredState("shop", false, "", "otto", at.plusSeconds(1));
    states.keep(paused);
    states.keep(other);
    assertThat(states.all()).containsExactlyInAnyOrder(paused, other);
    states.keep(running);
    assertThat(states.all()).containsExactlyInAnyOrder(running, other);
  }

  @Test
  void aPauseHoldsAfterARestartAndWhatIsAcceptedMeanwhileIsPerformedWhenItEnds() throws Exception {
    services().pause("shop", "migration", "olga");
    DesiredStateFollower follower = new DesiredStateFollower(services()); // as after a restart
    follower.start();
    service.start();
    try (StatementClient client = service.createClient()) {
      Pending<Long> pending = client.executeUpdate(INSERT, 1L);
      awaitPhase(Phase.PAUSED);
      assertThat(service.state().reason()).contains("migration").contains("olga");
      assertThat(pending).isNotDone();
      services().resume("shop", "", "otto"); // as another instance would
      assertThat(pending.get(120, TimeUnit.SECONDS)).isEqualTo(1);
      awaitPhase(Phase.RUNNING);
    } finally {
      follower.stop();
    }
  }

  @Test
  void nothingIsPerformedButAllAcceptedBeforeItIsKnownWhatOperatorsWant() throws Exception {
    source.down = true;
    DesiredStateFollower follower = new DesiredStateFollower(services());
    follower.start();
    service.start();
    try (StatementClient client = service.createClient()) {
      Pending<Long> pending = client.executeUpdate(INSERT, 1L);
      awaitPhase(Phase.WAITING);
      assertThat(service.state().reason()).contains("waiting for the system database");
      assertThat(service.view().accepts()).isTrue();
      assertThat(pending).isNotDone();
      assertThat(service.view().behind()).hasValue(1);
      assertThat(service.view().oldest()).isBeforeOrEqualTo(Instant.now());
      source.down = false;
      assertThat(pending.get(120, TimeUnit.SECONDS)).isEqualTo(1);
    } finally {
      follower.stop();
    }
  }

  @Test
  void aPauseThatCannotBeKeptDoesNotTakeEffect() {
    service.start();
    awaitPhase(Phase.RUNNING);
    source.down = true;
    assertThatThrownBy(() -> services().pause("shop", "migration", "olga"))
        .isInstanceOf(Unavailable.class);
    assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
    assertThatThrownBy(() -> services().pause("nobody", "migration", "olga"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
