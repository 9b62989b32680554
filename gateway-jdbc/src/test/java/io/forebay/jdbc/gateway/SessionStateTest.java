/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.CapturedLog;
import io.forebay.database.TestDatabase;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.batch.BatchTransaction;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Functions that change the session of a gateway on PostgreSQL, and the statements behind them. */
class SessionStateTest extends GatewayFixture {

  private static final String CHANGE = "insert into public.change (kind) values (?)";
  private static final String SEEN =
      "insert into public.seen (behind, state) select ?, state from public.session_state";

  /** What a function may change, and how the next statement would notice. */
  enum Change {
    SEARCH_PATH(
        "perform set_config('search_path', 'elsewhere', false)", "current_setting('search_path')"),
    ROLE("set role forebay_other", "current_user::text"),
    TIMEOUT("set statement_timeout = '59s'", "current_setting('statement_timeout')"),
    TIME_ZONE("set time zone 'Asia/Tokyo'", "current_setting('timezone')"),
    OWN_SETTING(
        "perform set_config('app.tenant', 'other', false)",
        "coalesce(current_setting('app.tenant', true), '')"),
    TEMPORARY_TABLE(
        "create temporary table seen_before (a int)",
        "coalesce(to_regclass('pg_temp.seen_before')::text, '')"),
    ADVISORY_LOCK(
        "perform pg_advisory_lock(4711)",
        "(select count(*)::text from pg_locks where locktype = 'advisory' and objid = 4711)"),
    LISTEN("listen news", "(select count(*)::text from pg_listening_channels())"),
    CURSOR(
        "execute 'declare held cursor with hold for select 1'",
        "(select count(*)::text from pg_cursors where name = 'held')");

    final String statement;
    final String state;

    Change(String statement, String state) {
      this.statement = statement;
      this.state = state;
    }
  }

  private static final EnumSet<Change> WITHOUT_EFFECT_ON_THE_SAME_SESSION =
      EnumSet.of(Change.ADVISORY_LOCK, Change.LISTEN, Change.CURSOR);

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql();
  }

  @BeforeEach
  void createFunctions() throws Exception {
    try (TestPostgres server = TestPostgres.shared()) {
      TestPostgres.execute(
          server.superuser(),
          "do $$ begin if to_regrole('forebay_other') is null then create role forebay_other;"
              + " grant forebay_other to forebay_gateway; end if; end $$");
    }
    database.createTable("public.change", "kind text");
    database.createTable("public.seen", "behind text, state text");
    StringBuilder body = new StringBuilder();
    StringBuilder states = new StringBuilder();
    for (Change change : Change.values()) {
      body.append("if new.kind = '%s' then %s; end if;\n".formatted(change, change.statement));
      states.append(states.isEmpty() ? "" : " || ' ' || ").append(change.state);
    }
    TestPostgres.execute(
        database.owner(),
        "create function change() returns trigger language plpgsql as $$ begin "
            + body
            + " return new; end $$",
        "create trigger change after insert on change for each row execute function change()",
        "create view session_state as select " + states + " as state",
        "grant select on session_state to forebay_gateway");
    restart(builder());
  }

  @Test
  void theNextStatementSeesTheSessionAsTheGatewaySetItUp() throws Exception {
    get(client.executeUpdate(SEEN, "before"));
    for (Change change : Change.values()) {
      get(client.executeUpdate(CHANGE, change.name()));
      get(client.executeUpdate(SEEN, change.name()));
    }
    get(client.executeUpdate(SEEN, "after"));
    assertThat(differences()).isEmpty();
  }

  @Test
  void soDoesTheNextStatementOfTheSameBatch() throws Exception {
    pause(service, "so that all come together");
    client.executeUpdate(SEEN, "before");
    List<Pending<Long>> changes = new ArrayList<>();
    for (Change change : EnumSet.complementOf(WITHOUT_EFFECT_ON_THE_SAME_SESSION)) {
      changes.add(client.executeUpdate(CHANGE, change.name()));
      client.executeUpdate(SEEN, change.name());
    }
    service.resume();
    for (Pending<Long> change : changes) {
      assertThat(get(change)).isEqualTo(1);
    }
    get(client.executeUpdate(SEEN, "after"));
    assertThat(differences()).isEmpty();
  }

  @Test
  void aSessionThatCannotBeRestoredIsReplacedAndItsCommitCounts() throws Exception {
    database.createTable("public.forget", "id bigint");
    TestPostgres.execute(
        database.owner(),
        "create function forget() returns trigger language plpgsql as $$ declare s text; begin"
            + " for s in select name from pg_prepared_statements where statement like '%reset all%'"
            + " loop execute format('deallocate %I', s); end loop; return new; end $$",
        "create trigger forget after insert on forget for each row execute function forget()");
    get(client.executeUpdate(SEEN, "before"));
    for (int i = 0; i < 6; i++) { // then the driver has prepared what restores the session
      get(client.executeUpdate("update public.forget set id = 2"));
    }
    List<String> log = new ArrayList<>();
    try (CapturedLog _ = CapturedLog.of(BatchTransaction.class.getName(), log)) {
      assertThat(get(client.executeUpdate("insert into public.forget values (1)"))).isEqualTo(1);
      assertThat(get(client.executeUpdate(SEEN, "after"))).isEqualTo(1);
      assertThat(log).anyMatch(line -> line.contains("whose answer was lost took effect"));
    }
    assertThat(database.rows("select id from public.forget")).containsExactly("1");
    assertThat(differences()).isEmpty();
  }

  @Test
  void aSettingThatTheServerLoadsAgainIsNoChangeForLong() throws Exception {
    try (TestPostgres server = TestPostgres.shared();
        DatabaseSession session =
            DatabaseSession.open(server.gateway(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT)) {
      try {
        TestPostgres.execute(
            server.superuser(), "alter system set work_mem = '5MB'", "select pg_reload_conf()");
        await()
            .until(() -> {
              boolean changed = session.isChanged();
              session.rollback();
              return changed;
            });
        session.execute("select 1");
        session.commit();
        assertThat(session.isChanged()).isFalse();
      } finally {
        TestPostgres.execute(
            server.superuser(), "alter system reset work_mem", "select pg_reload_conf()");
      }
    }
  }

  @Test
  void aCommitRestoresTheSessionOnceUnknownCodeHasRunEvenIfThatWasRolledBack() throws Exception {
    try (TestPostgres server = TestPostgres.shared();
        DatabaseSession session =
            DatabaseSession.open(server.gateway(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT)) {
      lock(session);
      session.commit();
      assertThat(locks(session)).as("restoring would cost time without need").isEqualTo(1);
      session.runsUnknownCode();
      lock(session);
      session.rollback();
      assertThat(locks(session)).isEqualTo(1);
      session.commit();
      assertThat(locks(session)).isZero();
      lock(session);
      session.commit();
      assertThat(locks(session)).isEqualTo(1);
    }
  }

  private static void lock(DatabaseSession session) throws SQLException {
    session.execute("select pg_advisory_lock(4712)");
  }

  private static int locks(DatabaseSession session) throws SQLException {
    try (ResultSet row =
        session
            .prepare(
                "select count(*) from pg_locks where locktype = 'advisory' and objid = 4712"
                    + " and pid = pg_backend_pid()")
            .executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }

  /** After which changes the statement behind them saw another session than the first one. */
  private List<String> differences() throws Exception {
    return database.rows(
        "select behind, state from public.seen where state <>"
            + " (select state from public.seen where behind = 'before')");
  }
}
