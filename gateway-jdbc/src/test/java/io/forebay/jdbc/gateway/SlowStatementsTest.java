/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestDatabase;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Batches that take longer than one statement may. HSQLDB has no time-out of a connection, and that
 * of a statement does not count for a JDBC batch.
 */
class SlowStatementsTest extends GatewayFixture {

  private static final String SLOW = "update item set price = price + slow(?) where id = ?";
  private static final int STATEMENTS = 40;

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql();
  }

  @BeforeEach
  void items() throws Exception {
    TestPostgres.execute(
        database.owner(),
        "create function slow(seconds double precision) returns integer language plpgsql as"
            + " $$ begin perform pg_sleep(seconds); perform nextval('calls'); return 1; end $$",
        "create sequence calls",
        "grant usage on sequence calls to public",
        "create function transaction_timeout(limits text) returns text language sql as"
            + " $$ select set_config('transaction_timeout', '0', true);"
            + " select set_config('transaction_timeout', limits, true) $$"); // only thus it starts
    // over
    for (long id = 0; id < STATEMENTS; id++) {
      get(client.executeUpdate(INSERT, id, "tea", 0.0));
    }
  }

  /** A data source whose connections break after so much silence, as others do after 40 s. */
  private DataSource breaksAfter(int seconds) {
    PGSimpleDataSource dataSource = (PGSimpleDataSource) database.gateway();
    dataSource.setSocketTimeout(seconds);
    return dataSource;
  }

  @Test
  void aBatchMayTakeLongerThanTheAnswerOfOneStatement() throws Exception {
    restart(builder().dataSource(breaksAfter(3)));
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (long id = 0; id < STATEMENTS; id++) {
      pending.add(client.executeUpdate(SLOW, 0.1, id));
    }
    service.resume();
    for (Pending<Long> each : pending) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(database.rows("select count(*) from item where price = 1")).containsExactly("40");
  }

  @Test
  void aBacklogOfSlowStatementsIsCommittedEveryHalfSecond() throws Exception {
    get(client.executeUpdate(SLOW, 0.1, 0L));
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (long id = 1; id < STATEMENTS; id++) {
      pending.add(client.executeUpdate(SLOW, 0.1, id));
    }
    service.resume();
    for (Pending<Long> each : pending) {
      assertThat(get(each)).isEqualTo(1);
    }
    List<String> transactions =
        database.rows("select count(distinct xmin::text) from item where price = 1");
    assertThat(Integer.parseInt(transactions.get(0))).isGreaterThanOrEqualTo(STATEMENTS / 5);
  }

  /**
   * What waits beside the statements, as a commit does for a distant copy of the database, takes as
   * long for one as for all.
   */
  @Test
  void aSlowCommitDoesNotMakeTransactionsSmall() throws Exception {
    TestPostgres.execute(
        database.owner(),
        "create function wait_a_little() returns trigger language plpgsql as $$ begin"
            + " perform pg_sleep(0.6); return new; end $$",
        "create trigger wait_a_little before insert on forebay.outcome"
            + " for each row execute function wait_a_little()");
    for (int i = 0; i < 3; i++) {
      get(client.executeUpdate("update item set price = 2 where id = 0"));
    }
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      pending.add(
          client.executeUpdate("update item set price = 1 where id = ?", (long) i % STATEMENTS));
    }
    long before = transactions();
    service.resume();
    for (Pending<Long> each : pending) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(transactions() - before).isLessThan(30);
  }

  /** Those of the whole server so far. */
  private long transactions() throws SQLException {
    return Long.parseLong(database.rows("select pg_current_xact_id()::text").get(0));
  }

  @Test
  void aBatchMayTakeLongerThanOneTransaction() throws Exception {
    get(client.executeUpdate("delete from other"));
    pause(service, "so that all come together");
    Pending<Rows> limit =
        client.executeQuery("select transaction_timeout('1s')", Row.class); // of this transaction
    List<Pending<Long>> pending = new ArrayList<>();
    for (long id = 0; id < STATEMENTS; id++) {
      pending.add(client.executeUpdate(SLOW, 0.1, id));
    }
    service.resume();
    assertThat(get(limit).size()).isEqualTo(1);
    for (Pending<Long> each : pending) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(database.rows("select count(*) from item where price = 1")).containsExactly("40");
  }

  @Test
  void callsThatCommitTogetherMayTakeLongerThanOneMay() throws Exception {
    restart(builder().statementTimeout(Duration.ofSeconds(1)));
    pause(service, "so that all come together");
    List<Call> calls = new ArrayList<>();
    for (long id = 0; id < 20; id++) {
      calls.add(Call.of(SLOW, 0.1, id));
    }
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 1L);
    Pending<List<Long>> together = client.executeTogether(calls);
    Pending<List<Long>> tooSlow =
        client.executeTogether(List.of(Call.of(SLOW, 0.1, 30L), Call.of(SLOW, 30.0, 30L)));
    service.resume();
    assertThat(get(before)).isEqualTo(1);
    assertThat(get(together)).isEqualTo(Collections.nCopies(20, 1L));
    assertThat(failure(tooSlow).kind()).isEqualTo(SqlFailure.Kind.TIMEOUT);
    assertThat(database.rows("select count(*) from item where price = 1")).containsExactly("20");
  }

  @Test
  void aStatementThatTakesTooLongIsTriedAgainAndFails() throws Exception {
    restart(builder().statementTimeout(Duration.ofSeconds(2)));
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 1L);
    Pending<Rows> slow =
        client.executeQuery("select nextval('calls'), pg_sleep(60)::text", Row.class);
    Pending<Long> after = client.executeUpdate(INSERT_OTHER, 2L);
    long begun = System.nanoTime();
    service.resume();
    assertThat(get(before)).isEqualTo(1);
    assertThat(failure(slow).kind()).isEqualTo(SqlFailure.Kind.TIMEOUT);
    assertThat(get(after)).isEqualTo(1);
    assertThat(calls()).isGreaterThanOrEqualTo(2);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(30));
    await()
        .untilAsserted(() ->
            assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("forebay-watch"));
  }

  @Test
  void amongEqualOnesTheOthersAreTriedOnceMore() throws Exception {
    restart(builder().statementTimeout(Duration.ofSeconds(2)));
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (long id = 0; id < 16; id++) {
      pending.add(
          client.executeUpdate(
              "update item set price = case id when 6 then 0 else nextval('calls') end + slow(?) * 0"
                  + " where id = ?",
              id == 6 ? 60.0 : 0.0,
              id));
    }
    service.resume();
    for (int i = 0; i < 16; i++) {
      if (i == 6) {
        assertThat(failure(pending.get(i)).kind()).isEqualTo(SqlFailure.Kind.TIMEOUT);
      } else {
        assertThat(get(pending.get(i))).isEqualTo(1);
      }
    }
    assertThat(calls()).as("two for each try of the others").isEqualTo(2 * 6 + 2 * 15);
  }

  private long calls() throws SQLException {
    return Long.parseLong(
        database.rows("select case when is_called then last_value else 0 end from calls").get(0));
  }
}
