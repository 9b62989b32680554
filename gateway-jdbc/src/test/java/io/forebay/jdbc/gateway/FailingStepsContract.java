/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.QueueRefused;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.errors.BlockingMessage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction fails in one of its steps because of one message, each time: only this message
 * fails, whatever is thrown.
 */
abstract class FailingStepsContract extends GatewayFixture {

  static final String POISON = "insert into other (id) values (? + 1000)";
  private static final Duration SOON = Duration.ofMillis(5);

  /** Where a transaction with the message fails. */
  enum Step {
    KEYS_READ("select message_id"),
    PERFORMED(POISON),
    KEYS_WRITTEN("insert into forebay.request"),
    FAILURES_WRITTEN("insert into forebay.failed_message"),
    COMMITTED(WatchedDriver.COMMIT);

    private final String begin;

    Step(String begin) {
      this.begin = begin;
    }
  }

  /** What the driver throws. */
  enum Thrown {
    REFUSED(() -> new SQLException("for a test", "22021")),
    TRANSIENT(() -> new SQLException("for a test", "40001")),
    LOST(() -> new SQLException("for a test", "08006")),
    RUNTIME(() -> new IllegalStateException("for a test")),
    TOO_LARGE(() -> new QueueRefused(QueueRefused.Reason.TOO_LARGE, "for a test")),
    NESTED(StackOverflowError::new),
    MEMORY(() -> new OutOfMemoryError("for a test")),
    CLASSES(() -> new NoClassDefFoundError("for a test"));

    private final Supplier<Throwable> thrown;

    Thrown(Supplier<Throwable> thrown) {
      this.thrown = thrown;
    }

    void now() throws SQLException {
      switch (thrown.get()) {
        case SQLException e -> throw e;
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new AssertionError();
      }
    }
  }

  WatchedDriver.Observer driver = _ -> {};

  /** Whether the open transaction has the effect of the message. */
  boolean performed;

  private int tries = 2;

  @Override
  JDBCService.Builder builder() {
    return super.builder()
        .dataSource(WatchedDriver.over(database.gateway(), what -> driver.before(what)))
        .tries(tries)
        .options(ServiceOptions.defaults().withRetry(SOON, SOON));
  }

  private void failsIn(Step step, Thrown thrown) {
    driver =
        what -> {
          if (what.startsWith(step.begin) && (step != Step.COMMITTED || performed)) {
            thrown.now();
          }
          performed = what.equals(POISON) || performed && !what.equals(WatchedDriver.ROLLBACK);
        };
  }

  /** What a message is that fails in that step, and only there; its key is the only one. */
  private Pending<Long> send(Step step, String key) {
    StatementClient.Statements keyed = client.keyed("shop", key);
    return step == Step.FAILURES_WRITTEN
        ? keyed.executeUpdate(INSERT, 1L, null, 1.0)
        : keyed.executeUpdate(POISON, 1L);
  }

  /** HSQLDB keeps in mind that a prepared statement is part of a batch until that is executed. */
  @Test
  void whatABatchRefusedIsPerformedAlone() throws Exception {
    AtomicInteger refused = new AtomicInteger(2); // the batch of four and its first half
    driver =
        what -> {
          if (what.equals(POISON) && refused.getAndDecrement() > 0) {
            Thrown.REFUSED.now();
          }
        };
    pause(service, "so that all come together");
    List<Pending<Long>> equal = new ArrayList<>();
    for (long id = 0; id < 4; id++) {
      equal.add(client.executeUpdate(POISON, id));
    }
    service.resume();
    for (Pending<Long> each : equal) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(refused).hasNonPositiveValue();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMMITTED")
  void onlyTheMessageFails(Step step) throws Exception {
    long id = 0;
    for (Thrown thrown : Thrown.values()) {
      failsIn(step, thrown);
      pause(service, "so that all come together");
      List<Pending<Long>> others = new ArrayList<>();
      Pending<Long> failing = null;
      for (int i = 0; i < 20; i++) {
        if (i == 9) {
          failing = send(step, thrown.name());
        }
        others.add(client.executeUpdate(INSERT_OTHER, id++));
      }
      service.resume();
      assertThat(failure(failing)).as("%s", thrown).isNotNull();
      for (Pending<Long> each : others) {
        assertThat(get(each)).isEqualTo(1);
      }
      assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
    }
    assertThat(database.rows("select count(*), count(distinct id) from other"))
        .containsExactly(id + "," + id);
    driver = _ -> {};
    assertThat(get(client.executeUpdate(INSERT_OTHER, id))).isEqualTo(1);
    assertThat(database.rows("select count(*) from forebay.failed_message"))
        .containsExactly(step == Step.FAILURES_WRITTEN ? "0" : "" + Thrown.values().length);
  }

  /** As when the database stands still at that moment. */
  @ParameterizedTest
  @ValueSource(strings = {"savepoint", "release savepoint", "rollback to savepoint"})
  void aCommandOfTheSessionThatFailsFailsNoMessage(String command) throws Exception {
    restart(builder().tries(10));
    AtomicInteger refused = new AtomicInteger(command.startsWith("rollback") ? 5 : 1);
    AtomicInteger faults = new AtomicInteger(4);
    AtomicReference<String> before = new AtomicReference<>("");
    driver =
        what -> {
          boolean follows = before.getAndSet(what).equals(POISON) || command.equals("savepoint");
          if (what.equals(POISON) && refused.getAndDecrement() > 0
              || follows && what.startsWith(command) && faults.getAndDecrement() > 0) {
            Thrown.REFUSED.now();
          }
        };
    assertThat(get(client.executeUpdate(POISON, 1L))).isEqualTo(1);
    assertThat(faults).hasNonPositiveValue();
  }

  private @Nullable BlockingMessage waitsFor() {
    return service.view().partitions().getFirst().waitsFor();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMMITTED")
  void anOperatorFailsTheMessage(Step step) throws Exception {
    tries = 1_000_000;
    restart(builder());
    failsIn(step, Thrown.TRANSIENT);
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 2L);
    Pending<Long> failing = send(step, "key");
    Pending<Long> next = client.executeUpdate(INSERT_OTHER, 1L);
    service.resume();
    await().until(() -> waitsFor() != null);
    assertThat(waitsFor().position()).isEqualTo(failing.receipt().position());
    assertThat(database.rows("select max(last_position) from forebay.outcome"))
        .as("what a part of the batch performed last")
        .containsExactly(Long.toString(failing.receipt().position() - 1));
    assertThat(get(before)).isEqualTo(1);
    assertThat(service.failMessage(0, waitsFor().position(), "it holds up others")).isTrue();
    assertThat(failure(failing))
        .isEqualTo(
            new SqlFailure(
                "HY008", 0, SqlFailure.Kind.GIVEN_UP, "an operator failed it: it holds up others"));
    assertThat(get(next)).isEqualTo(1);
    await().until(() -> waitsFor() == null);
  }
}
