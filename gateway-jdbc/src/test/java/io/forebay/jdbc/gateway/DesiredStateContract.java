/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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

  /** Two operators at two instances; neither has seen the other's pause. */
  @Test
  void aSecondPauseDoesNotReplaceTheFirstUnlessItsSenderHasSeenIt() {
    Services here = services();
    Services there = services();
    here.resume("shop", "", "otto");
    assertThat(here.pause("shop", "migration", "olga", null)).isEmpty();
    DesiredState first = here.desired("shop").orElseThrow();

    assertThat(there.pause("shop", "too slow", "otto", null)).contains(first);
    assertThat(there.desired("shop")).contains(first);
    assertThat(there.pause("shop", "too slow", "otto", first.at().minusMillis(1))).contains(first);
    assertThat(new DesiredStateTable(system).all()).containsExactly(first);
    assertThat(here.pause("shop", "migration", "olga", null)).as("the same again").isEmpty();
    assertThat(new DesiredStateTable(system).all()).as("since then").containsExactly(first);

    Instant shown = first.at().truncatedTo(ChronoUnit.MILLIS);
    assertThat(there.pause("shop", "too slow", "otto", shown)).isEmpty();
    assertThat(new DesiredStateTable(system).all())
        .extracting(DesiredState::by, DesiredState::reason)
        .containsExactly(tuple("otto", "too slow"));
  }

  @Test
  void ofTwoPausesAtTheSameTimeOneSeesTheOther() throws Exception {
    CyclicBarrier together = new CyclicBarrier(2);
    try (ExecutorService operators = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<DesiredState>>> pauses = new ArrayList<>();
      for (String name : List.of("olga", "otto")) {
        pauses.add(
            operators.submit(() -> {
              Services services = services();
              together.await();
              return services.pause("shop", "from " + name, name, null);
            }));
      }
      DesiredState kept = null;
      for (Future<Optional<DesiredState>> pause : pauses) {
        if (pause.get(120, TimeUnit.SECONDS).isPresent()) {
          assertThat(kept).as("one of them is refused").isNull();
          kept = pause.get().get();
        }
      }
      assertThat(new DesiredStateTable(system).all()).containsExactly(kept);
    }
  }

  @Test
  void aPauseHoldsAfterARestartAndWhatIsAcceptedMeanwhileIsPerformedWhenItEnds() throws Exception {
    services().pause("shop", "migration", "olga", null);
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
    assertThatThrownBy(() -> services().pause("shop", "migration", "olga", null))
        .isInstanceOf(Unavailable.class);
    assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
    assertThatThrownBy(() -> services().pause("nobody", "migration", "olga", null))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
