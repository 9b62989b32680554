/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.SqlFailure;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import io.forebay.service.errors.BlockingMessage;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Statements that raise an error, each time, which passes where others raise it. */
abstract class RaisedErrorsContract extends GatewayFixture {

  static final Duration SOON = Duration.ofMillis(10);

  /** A function without parameters that raises an error with this state. */
  abstract void createFunction(String name, String sqlState) throws SQLException;

  abstract List<String> sqlStates();

  @Override
  JDBCService.Builder builder() {
    return super.builder().tries(3).options(ServiceOptions.defaults().withRetry(SOON, SOON));
  }

  @Test
  void suchAStatementFailsAfterSomeTriesAndItsNeighboursTakeEffectInOrder() throws Exception {
    long id = 0;
    for (String state : sqlStates()) {
      String function = "fail_" + state.toLowerCase();
      createFunction(function, state);
      pause(service, "so that all come together");
      Pending<Long> before = client.executeUpdate(INSERT, id, "tea", 1.0);
      Pending<Long> failing =
          client
              .keyed("shop", state)
              .executeUpdate("insert into other (id) values (" + function + "())");
      Pending<Long> after = client.executeUpdate(INSERT, id + 1, "tea", 1.0);
      service.resume();
      assertThat(failure(failing))
          .as(state)
          .satisfies(failure -> {
            assertThat(failure.kind()).isEqualTo(SqlFailure.Kind.GIVEN_UP);
            assertThat(failure.sqlState()).isEqualTo(state);
            assertThat(failure.message())
                .isEqualTo(
                    "it failed 3 times with SQLState %s while the database performed other statements",
                    state);
          });
      assertThat(get(before) + get(after)).isEqualTo(2);
      assertThat(client.keyed("shop", state))
          .satisfies(again ->
              assertThat(
                      failure(
                              again.executeUpdate(
                                  "insert into other (id) values (" + function + "())"))
                          .kind())
                  .isEqualTo(SqlFailure.Kind.GIVEN_UP));
      id += 2;
    }
    assertThat(database.rows("select count(*) from item")).containsExactly("" + id);
    assertThat(database.rows("select count(*) from other")).containsExactly("0");
    assertThat(database.rows("select sql_state from forebay.failed_message order by position"))
        .isEqualTo(sqlStates());
  }

  private @Nullable BlockingMessage waitsFor() {
    return service.view().partitions().getFirst().waitsFor();
  }

  @Test
  void anOperatorFailsTheMessageThatItsPartitionWaitsFor() throws Exception {
    Instant started = Instant.now();
    restart(builder().tries(1_000_000));
    createFunction("fail_always", "40001");
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT, 1L, "tea", 1.0);
    Pending<Long> failing = client.executeUpdate("insert into other (id) values (fail_always())");
    Pending<Long> after = client.executeUpdate(INSERT, 2L, "tea", 1.0);
    service.resume();
    long position = failing.receipt().position();
    await().until(() -> waitsFor() != null && waitsFor().attempts() > 2);
    BlockingMessage blocking = waitsFor();
    assertThat(blocking.position()).isEqualTo(position);
    assertThat(blocking.reason())
        .isEqualTo("SQLState 40001; the database performs other statements");
    assertThat(blocking.since()).isBetween(started, Instant.now());
    assertThat(service.state().phase()).isEqualTo(ServiceState.Phase.WAITING);
    assertThat(service.state().reason())
        .contains("fails repeatedly", "position=" + position, "SQLState 40001");
    assertThat(database.rows("select id from item")).as("before it").containsExactly("1");

    assertThat(service.failMessage(0, position + 1, "not this one")).isFalse();
    assertThat(service.failMessage(1, position, "no such partition")).isFalse();
    assertThat(service.failMessage(0, position, "it holds up the others")).isTrue();
    assertThat(failure(failing))
        .isEqualTo(
            new SqlFailure(
                "HY008",
                0,
                SqlFailure.Kind.GIVEN_UP,
                "an operator failed it: it holds up the others"));
    assertThat(get(before) + get(after)).isEqualTo(2);
    assertThat(waitsFor()).isNull();
    assertThat(service.failMessage(0, position, "again")).isFalse();
    assertThat(database.rows("select id from item order by id")).containsExactly("1", "2");
    assertThat(database.rows("select kind, detail from forebay.failed_message"))
        .containsExactly("GIVEN_UP,an operator failed it: it holds up the others");
  }
}
