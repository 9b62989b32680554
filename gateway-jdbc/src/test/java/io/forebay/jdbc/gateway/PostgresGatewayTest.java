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
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.service.ServiceState;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresGatewayTest extends GatewayContract {

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql();
  }

  @Test
  void aConstraintThatIsCheckedAtTheCommitFailsOnlyTheStatementThatBreaksIt() throws Exception {
    database.createTable("parent", "id bigint primary key");
    database.createTable(
        "child", "id bigint, parent bigint references parent (id) deferrable initially deferred");
    String child = "insert into child (id, parent) values (?, ?)";
    String parent = "insert into parent (id) values (?)";
    pause(service, "so that all come together");
    List<Pending<Long>> children = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      children.add(client.executeUpdate(child, (long) i, i == 13 ? 99L : null));
    }
    Pending<List<Long>> family =
        client.executeTogether(List.of(Call.of(child, 20L, 1L), Call.of(parent, 1L)));
    service.resume();
    for (int i = 0; i < 20; i++) {
      if (i == 13) {
        assertThat(failure(children.get(i)).kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT);
      } else {
        assertThat(get(children.get(i))).isEqualTo(1);
      }
    }
    assertThat(get(family)).containsExactly(1L, 1L);
    assertThat(database.rows("select count(*) from child")).containsExactly("20");
  }

  /** Then the driver does not report how many rows each statement of a batch changed. */
  @Test
  void eachStatementHasItsCountAlthoughTheDriverRewritesBatches() throws Exception {
    PGSimpleDataSource rewriting = (PGSimpleDataSource) database.gateway();
    rewriting.setReWriteBatchedInserts(true);
    restart(builder().dataSource(rewriting));
    pause(service, "so that all come together");
    List<Pending<Long>> sent = new ArrayList<>();
    for (long id = 0; id < 4; id++) {
      sent.add(client.executeUpdate("insert into other (id) values (? + 1000)", id));
    }
    service.resume();
    for (Pending<Long> each : sent) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(database.rows("select count(*) from other")).containsExactly("4");
  }

  @Test
  void aRoleThatCouldChangeTheLedgerIsRefused() {
    restart(builder().dataSource(database.owner()));
    await().until(() -> service.state().phase() == ServiceState.Phase.FAILED);
    assertThat(service.state().reason()).contains("forebay_owner owns", "schema forebay");
  }

  @Test
  void aResultThatIsFarTooLargeFailsBeforeItFillsTheHeap() {
    // as a whole it is larger than any heap
    String large = "select repeat('x', 1000000) from generate_series(1, 9000)";
    assertThat(failure(client.executeQuery(large, Row.class)).kind())
        .isEqualTo(SqlFailure.Kind.LIMIT);
  }

  @Test
  void performsPlainInsertsAsArraysWithTheTypesAndConversionsOfSingleOnes() throws Exception {
    database.createTable(
        "wide",
        "id bigint generated always as identity, i integer, n numeric(10, 2), t text, b boolean, u uuid, f real, d double precision");
    String insert = "insert into wide (i, n, t, b, u, f, d) values (?, ?, ?, ?, ?, ?, ?)";
    java.util.UUID uuid = java.util.UUID.randomUUID();
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      pending.add(
          client.executeUpdate(
              insert,
              i,
              i + 0.5,
              i % 2 == 0 ? null : "a,{}\"'\\ü",
              i % 3 == 0,
              uuid,
              0.25f,
              i / 4.0));
    }
    pending.add(client.executeUpdate(insert, 1L << 40, 1.0, "t", true, uuid, 0.25f, 1.0));
    service.resume();
    assertThat(failure(pending.removeLast()).sqlState()).isEqualTo("22003");
    for (Pending<Long> each : pending) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(database.rows("select i, n, t, b, u, f, d from wide order by id"))
        .hasSize(40)
        .startsWith(
            "0,0.50,null,t," + uuid + ",0.25,0", "1,1.50,a,{}\"'\\ü,f," + uuid + ",0.25,0.25");
  }

  @Test
  void aTriggerThatLeavesRowsOutIsCountedAsTheDatabaseDoes() throws Exception {
    database.createTable("few", "id bigint");
    TestPostgres.execute(
        database.owner(),
        "create function skip_odd() returns trigger language plpgsql as"
            + " $$ begin if new.id % 2 = 1 then return null; end if; return new; end $$",
        "create trigger skip_odd before insert on few for each row execute function skip_odd()");
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      pending.add(client.executeUpdate("insert into few (id) values (?)", (long) i));
    }
    service.resume();
    for (int i = 0; i < 10; i++) {
      assertThat(get(pending.get(i))).isEqualTo(i % 2 == 0 ? 1 : 0);
    }
    assertThat(database.rows("select count(*) from few")).containsExactly("5");
  }

  /**
   * While a transaction is open anywhere in the database, PostgreSQL keeps all versions of a row,
   * and each update of it walks over them.
   */
  @Test
  void batchesUpdateNoRowOfTheLedger() throws Exception {
    for (long number = 1; number <= 60; number++) {
      get(line("s", number, number == 1 ? StreamLine.ANY : number - 1));
    }
    String changes =
        "select sum(%s) from pg_stat_user_tables where schemaname = 'forebay' and relname in (%s)";
    await().until(() -> sum(changes.formatted("n_tup_ins", "'outcome'")) >= 60);
    assertThat(sum(changes.formatted("n_tup_upd", "'progress', 'outcome', 'stream'")))
        .as("rows that a start or a pause updates")
        .isLessThan(20);
  }

  private long sum(String query) throws SQLException {
    return Long.parseLong(database.rows(query).getFirst());
  }

  @Test
  void keysAreFoundByTheirIndexAlsoWhereTheServerHasNoStatisticsYet() throws Exception {
    database.createTable("noted", "id bigint");
    get(client.executeUpdate("delete from noted"));
    TestPostgres.execute(
        database.owner(), "alter table forebay.request set (autovacuum_enabled = off)");
    for (int batch = 0; batch < 20; batch++) { // more than it takes for a plan to be kept
      pause(service, "so that all come together");
      List<Pending<Long>> pending = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        pending.add(keyed(batch * 50 + i));
      }
      service.resume();
      for (Pending<Long> each : pending) {
        get(each);
      }
    }
    TestPostgres.execute(
        database.owner(),
        "insert into forebay.request select 'other', i::text, decode(repeat('00', 32), 'hex'),"
            + " gen_random_uuid(), 'shop', 0, 0, 'DONE', null, now()"
            + " from generate_series(1, 20000) as i");
    String scans = "select pg_stat_get_numscans('forebay.request_pkey'::regclass)";
    long before = read(scans);
    for (int i = 1_000; i < 1_050; i++) {
      get(keyed(i));
    }
    // the server's figures come some seconds later
    await().untilAsserted(() -> assertThat(read(scans) - before).isGreaterThanOrEqualTo(40));
  }

  private Pending<Long> keyed(int i) {
    return client
        .keyed("shop", "key-" + i)
        .executeUpdate("insert into noted (id) values (?)", (long) i);
  }

  private long read(String query) throws Exception {
    return Long.parseLong(database.rows(query).getFirst());
  }
}
