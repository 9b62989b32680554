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
import io.forebay.operations.Audit;
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
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
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
  private final Entries audit = new Entries();
  private volatile Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
  private volatile boolean auditAway;

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
    return new Services(List.of(service), new DesiredStateTable(system), () -> now);
  }

  /** All of the audit that a test needs, in memory. */
  private final class Entries implements Audit {

    final List<Entry> all = new CopyOnWriteArrayList<>();

    @Override
    public void record(Entry entry) {
      if (auditAway) {
        throw new Unavailable("the audit is away", null);
      }
      all.add(entry);
    }

    @Override
    public List<Recorded> before(long before, int limit, Filter filter) {
      throw new UnsupportedOperationException();
    }
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
    assertThat(here.pause("shop", "migration", "olga", null, null)).isEmpty();
    DesiredState first = here.desired("shop").orElseThrow();

    assertThat(there.pause("shop", "too slow", "otto", null, null)).contains(first);
    assertThat(there.desired("shop")).contains(first);
    assertThat(there.pause("shop", "too slow", "otto", null, first.at().minusMillis(1)))
        .contains(first);
    assertThat(new DesiredStateTable(system).all()).containsExactly(first);
    assertThat(here.pause("shop", "migration", "olga", null, null)).as("the same again").isEmpty();
    assertThat(new DesiredStateTable(system).all()).as("since then").containsExactly(first);

    Instant shown = first.at().truncatedTo(ChronoUnit.MILLIS);
    assertThat(there.pause("shop", "too slow", "otto", null, shown)).isEmpty();
    assertThat(new DesiredStateTable(system).all())
        .extracting(DesiredState::by, DesiredState::reason)
        .containsExactly(tuple("otto", "too slow"));
  }

  @Test
  void aPauseThatReplacesAnotherKeepsItsBeginAlsoAfterARestart() {
    Services here = services();
    here.pause("shop", "migration", "olga", null, null);
    DesiredState first = here.desired("shop").orElseThrow();
    now = now.plusSeconds(600);
    assertThat(here.pause("shop", "still", "otto", null, first.at())).isEmpty();
    DesiredState second = here.desired("shop").orElseThrow();
    assertThat(second.first()).isEqualTo(new DesiredState.Begin(first.at(), "olga", "migration"));
    now = now.plusSeconds(600);
    assertThat(services().pause("shop", "longer", "paul", now.plusSeconds(60), second.at()))
        .as("at an instance that has not read it")
        .isEmpty();
    Services restarted = services();
    restarted.follow();
    DesiredState third = restarted.desired("shop").orElseThrow();
    assertThat(third.begun()).isEqualTo(new DesiredState.Begin(first.at(), "olga", "migration"));
    assertThat(third).returns("longer", DesiredState::reason).returns("paul", DesiredState::by);
    restarted.resume("shop", "", "olga");
    assertThat(restarted.pause("shop", "again", "otto", null, null)).isEmpty();
    assertThat(new DesiredStateTable(system).all())
        .as("the former pause has ended")
        .extracting(DesiredState::first)
        .containsOnlyNulls();
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
              return services.pause("shop", "from " + name, name, null, null);
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
    services().pause("shop", "migration", "olga", null, null);
    DesiredStateFollower follower =
        new DesiredStateFollower(services(), () -> audit); // as after a restart
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
  void aPauseWithAnEndIsEndedByOneInstanceAndItsAuditSaysSo() throws Exception {
    service.start();
    Services here = services();
    Services there = services();
    Instant end = now.plus(Duration.ofHours(8));
    assertThat(here.pause("shop", "migration", "olga", end, null)).isEmpty();
    assertThat(here.pause("shop", "migration", "olga", end, null)).as("the same again").isEmpty();
    assertThat(here.pause("shop", "migration", "olga", null, null))
        .as("without an end")
        .isPresent();
    there.follow();
    assertThat(there.desired("shop").orElseThrow().until()).isEqualTo(end);
    awaitPhase(Phase.PAUSED);
    assertThat(service.state().reason()).contains("until " + end.truncatedTo(ChronoUnit.SECONDS));

    now = end.minusMillis(1);
    here.endPauses(() -> audit);
    now = now.minus(Duration.ofDays(1)); // the clock is set back
    here.endPauses(() -> audit);
    assertThat(here.desired("shop").orElseThrow().paused()).isTrue();
    assertThat(audit.all).isEmpty();

    now = end;
    auditAway = true;
    assertThatThrownBy(() -> here.endPauses(() -> audit)).isInstanceOf(Unavailable.class);
    assertThat(new DesiredStateTable(system).all()).extracting(DesiredState::paused).contains(true);
    auditAway = false;
    CyclicBarrier together = new CyclicBarrier(2);
    try (ExecutorService instances = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Services one : List.of(here, there)) {
        instances.submit(() -> {
          together.await();
          one.endPauses(() -> audit);
          return null;
        });
      }
    }
    assertThat(audit.all)
        .extracting(Audit.Entry::action, Audit.Entry::target, it -> it.actor().name())
        .containsOnly(tuple("service.resume", "shop", "system"));
    long begun = outcomes("allowed, resumed automatically");
    assertThat(begun - outcomes("failed: the pause was already ended or replaced")).isEqualTo(1);
    assertThat(new DesiredStateTable(system).all())
        .extracting(DesiredState::paused, DesiredState::by, DesiredState::until)
        .containsExactly(tuple(false, "system", null));
    here.follow();
    there.follow();
    awaitPhase(Phase.RUNNING);
    there.endPauses(() -> audit);
    assertThat(outcomes("allowed, resumed automatically")).isEqualTo(begun);
  }

  private long outcomes(String outcome) {
    return audit.all.stream().filter(it -> it.outcome().equals(outcome)).count();
  }

  @Test
  void aPauseThatEndsWhileNoInstanceRunsEndsAtTheNextStart() {
    services().pause("shop", "migration", "olga", now.plusSeconds(60), null);
    now = now.plus(Duration.ofHours(1));
    DesiredStateFollower follower = new DesiredStateFollower(services(), () -> audit);
    follower.start();
    try {
      service.start();
      awaitPhase(Phase.RUNNING);
      assertThat(outcomes("allowed, resumed automatically")).isEqualTo(1);
    } finally {
      follower.stop();
    }
  }

  @Test
  void nothingIsPerformedButAllAcceptedBeforeItIsKnownWhatOperatorsWant() throws Exception {
    source.down = true;
    DesiredStateFollower follower = new DesiredStateFollower(services(), () -> audit);
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
    assertThatThrownBy(() -> services().pause("shop", "migration", "olga", null, null))
        .isInstanceOf(Unavailable.class);
    assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
    assertThatThrownBy(
            () -> new Services(List.of(service), null).pause("shop", "", "olga", now, null))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> services().pause("nobody", "migration", "olga", null, null))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
