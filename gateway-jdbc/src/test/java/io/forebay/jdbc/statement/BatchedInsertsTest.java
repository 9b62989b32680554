/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.hosting.Paused;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.gateway.GatewayContract;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Inserts that come together have the effects and the results that they have one by one, whatever
 * the table is: each case is performed in two databases, in one alone, in the other together.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BatchedInsertsTest {

  /** Enough for arrays, also when they are halved. */
  private static final int ROWS = 40;

  private static final String LOG =
      "create table log (n bigint generated always as identity, entry text);"
          + " grant insert, select on log to public;";

  /** Counts the rows of {@code t} as its caller's statement sees them. */
  private static final String COUNT =
      "create function rows_of_t() returns bigint language plpgsql %s security definer"
          + " as $$ begin return (select count(*) from t); end $$;";

  private Gateway alone;
  private Gateway together;

  @BeforeAll
  void start() {
    alone = new Gateway();
    together = new Gateway();
  }

  @AfterAll
  void stop() {
    alone.close();
    together.close();
  }

  /**
   * @param arrays whether several rows are to be stored by one statement
   * @param ddl what makes table {@code t} (or whatever bears its name), and table {@code log}
   */
  record Case(
      String name,
      boolean arrays,
      String ddl,
      String insert,
      List<@Nullable Object[]> rows,
      String observed) {

    static Case plain(String name, String ddl) {
      return of(name, true, ddl);
    }

    static Case special(String name, String ddl) {
      return of(name, false, ddl);
    }

    private static Case of(String name, boolean arrays, String ddl) {
      return new Case(name, arrays, ddl, "", List.of(), "select * from t")
          .with("insert into t (id) values (?)", ids(0, 1));
    }

    /** These, and further ones that have but an id. */
    Case rows(String sql, Object[]... values) {
      List<@Nullable Object[]> all = new ArrayList<>(List.of(values));
      for (@Nullable Object[] id : ids(100, 30)) {
        all.add(Arrays.copyOf(id, values[0].length));
      }
      return with(sql, all);
    }

    private Case with(String sql, List<@Nullable Object[]> values) {
      return new Case(name, arrays, ddl, sql, values, observed);
    }

    Case observed(String query) {
      return new Case(name, arrays, ddl, insert, rows, query);
    }

    /** The same with another name for {@code t}, since something is remembered of each table. */
    Case on(String table) {
      return new Case(name, arrays, on(table, ddl), on(table, insert), rows, on(table, observed));
    }

    static String on(String table, String sql) {
      return sql.replaceAll("\\bt\\b", table);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Writes how many rows the table has, and what row is in hand. */
  private static final String COUNTED =
      "create function counted() returns trigger language plpgsql security definer as $$ begin"
          + " insert into log (entry) values (new.id || ' of ' || (select count(*) from t));"
          + " return new; end $$;";

  private static final String COUNTS =
      "create trigger counted after insert on t for each row execute function counted()";

  private static final String LOGGED = "select entry from log order by n";

  private static List<@Nullable Object[]> ids(long first, long step) {
    return LongStream.range(0, ROWS)
        .mapToObj(i -> new @Nullable Object[] {first + i * step})
        .toList();
  }

  private static Object[] row(@Nullable Object... values) {
    return values;
  }

  private static String trigger(String timing, String level, String body) {
    return "create table t (id bigint, seen bigint);"
        + LOG
        + "create function fired() returns trigger language plpgsql as $$ begin "
        + body
        + " return new; end $$; create trigger fired "
        + timing
        + " on t "
        + (level.equals("row") ? "for each row" : level)
        + " execute function fired();";
  }

  static List<Case> numbered() {
    List<Case> cases = cases();
    return IntStream.range(0, cases.size()).mapToObj(i -> cases.get(i).on("t" + i)).toList();
  }

  private static List<Case> cases() {
    String both =
        "select string_agg(t::text, ' ' order by id) from t union all"
            + " select string_agg(log::text, ' ' order by n) from log";
    return List.of(
        Case.plain("a table", "create table t (id bigint);"),
        Case.plain("a name that needs quotes", "create table \"T'?\" (id bigint);")
            .rows("insert into public.\"T'?\" (id) values (?)", row(1L), row(2L), row(3L))
            .observed("select * from \"T'?\""),
        Case.plain("a primary key", "create table t (id bigint primary key);")
            .rows("insert into t (id) values (?)", row(1L), row(2L), row(1L), row(3L), row(2L)),
        Case.plain(
                "a unique constraint that is checked at the end of a statement",
                "create table t (id bigint unique deferrable);")
            .rows("insert into t (id) values (?)", row(1L), row(2L), row(1L), row(3L)),
        Case.plain(
                "an exclusion constraint",
                "create table t (id int4, r int4range generated always as (int4range(id, id + 2)) stored,"
                    + " exclude using gist (r with &&));")
            .rows("insert into t (id) values (?)", row(1L), row(3L), row(5L), row(6L), row(8L)),
        Case.plain(
                "checks and not null", "create table t (id bigint not null check (id % 3 <> 0));")
            .rows(
                "insert into t (id) values (?)",
                row(1L),
                row(3L),
                row((Object) null),
                row(4L),
                row(5L)),
        Case.plain(
                "a foreign key to another table",
                "create table u (id bigint primary key); insert into u select n from generate_series(1, 10000) n where n <> 3;"
                    + "create table t (id bigint references u);")
            .rows("insert into t (id) values (?)", row(1L), row(2L), row(3L), row(1L)),
        Case.plain(
                "an enum",
                "create type mood as enum ('good', 'bad');"
                    + "create table t (id bigint, mood mood default 'good');")
            .rows("insert into t (id) values (?)", row(1L), row(2L), row(3L)),
        Case.plain(
                "an identity, a sequence and times of the transaction",
                "create sequence s; create table t (id bigint, n bigint generated always as identity,"
                    + " m int default nextval('s') * 2, at timestamptz default now(),"
                    + " until date default (current_timestamp + interval '30 days')::date, by text default current_user);"
                    + "grant usage on sequence s to public;")
            .observed("select id, n, m, at = now(), by from t"),
        Case.plain(
                "a random default",
                "create table t (id bigint, u uuid default gen_random_uuid(), r float8 default random());")
            .observed("select id, (select count(distinct u) from t), r is not null from t"),
        Case.plain(
            "a partial index and one of an expression",
            "create table t (id bigint); create unique index on t ((id * 2)) where id > 3;"),
        Case.plain(
            "a trigger that fires for updates only",
            "create table t (id bigint); create trigger same before update on t for each row"
                + " execute function suppress_redundant_updates_trigger();"),
        Case.plain(
            "a parent of other tables",
            "create table t (id bigint); create table child () inherits (t);"),
        Case.special(
            "a trigger before each row that looks at the table",
            trigger("before insert", "row", "new.seen := (select count(*) from t);")
                .replace("plpgsql", "plpgsql stable")),
        Case.special(
                "a trigger after each row",
                trigger(
                    "after insert",
                    "row",
                    "insert into log (entry) values (new.id || ' of ' || (select count(*) from t));"))
            .observed(both),
        Case.special(
                "a trigger after each row that comes deferred",
                trigger(
                        "after insert",
                        "row",
                        "insert into log (entry) values (new.id || ' of ' || (select count(*) from t));")
                    .replace("create trigger", "create constraint trigger"))
            .observed(both),
        Case.special(
                "a trigger before the statement",
                trigger(
                    "before insert",
                    "for each statement",
                    "insert into log (entry) values ('before ' || (select count(*) from t));"))
            .observed(both),
        Case.special(
                "a trigger after the statement",
                trigger(
                    "after insert",
                    "referencing new table as fresh for each statement",
                    "insert into log (entry) select 'one of ' || count(*) from fresh;"))
            .observed(both),
        Case.special(
            "a trigger that leaves rows out",
            trigger("before insert", "row", "if new.id % 3 = 1 then return null; end if;")),
        Case.special(
            "a trigger that fails for some rows",
            trigger(
                "after insert",
                "row",
                "if (select count(*) from t) > 4 then raise exception 'full'; end if;")),
        Case.special(
                "a rule that logs",
                "create table t (id bigint);"
                    + LOG
                    + "create rule logged as on insert to t do also"
                    + " insert into log (entry) select 'row ' || count(*) from t;")
            .observed(both),
        Case.special(
                "a rule instead",
                "create table t (id bigint);"
                    + LOG
                    + "create rule moved as on insert to t where new.id > 4 do instead"
                    + " insert into log (entry) values (new.id);")
            .observed(both),
        Case.special(
                "a foreign key to the table itself",
                "create table t (id bigint primary key, parent bigint references t);")
            .rows(
                "insert into t (id, parent) values (?, ?)",
                row(1L, 2L),
                row(2L, null),
                row(3L, 2L),
                row(4L, 4L)),
        Case.special(
                "a foreign key of a partition to its table",
                "create table t (id bigint primary key, parent bigint references t)"
                    + " partition by range (id);"
                    + "create table t_1 partition of t for values from (0) to (10000);")
            .rows(
                "insert into t_1 (id, parent) values (?, ?)",
                row(1L, 2L),
                row(2L, null),
                row(3L, 2L),
                row(4L, 4L)),
        Case.special(
            "partitions with a trigger of their own",
            trigger("before insert", "row", "new.seen := (select count(*) from t);")
                .replace("plpgsql", "plpgsql stable")
                .replace(
                    "(id bigint, seen bigint)", "(id bigint, seen bigint) partition by range (id)")
                .replace(
                    "create trigger fired before insert on t ",
                    "create table t_1 partition of t default; create trigger fired before insert on t_1 ")),
        Case.special(
            "a view",
            "create table b (id bigint, seen bigint);"
                + "create function f() returns trigger language plpgsql security definer as $$ begin"
                + " insert into b values (new.id, (select count(*) from b)); return new; end $$;"
                + "create view t as select * from b;"
                + "create trigger f instead of insert on t for each row execute function f();"),
        Case.special(
            "row security that looks at the table",
            COUNT
                    .formatted("stable")
                    .replace("create function", "create table t (id bigint); create function")
                + "alter table t enable row level security;"
                + "create policy few on t with check (rows_of_t() < 4);"
                + "create policy seen on t for select using (true);"),
        Case.special(
            "a check that looks at the table",
            "create table t (id bigint);"
                + COUNT.formatted("stable")
                + "alter table t add check (rows_of_t() < 4);"),
        Case.special(
            "a check that looks at the table and claims to be immutable",
            "create table t (id bigint);"
                + COUNT.formatted("immutable")
                + "alter table t add check (rows_of_t() < 4);"),
        Case.special(
            "a domain with a check that looks at the table",
            "create table t (id bigint);"
                + COUNT.formatted("stable")
                + "create domain scarce as bigint check (rows_of_t() < 4);"
                + "alter table t alter column id type scarce;"),
        Case.special(
            "a domain with a default that looks at the table",
            "create table t (id bigint);"
                + COUNT.formatted("stable")
                + "create domain counted as bigint default rows_of_t();"
                + "alter table t add column n counted;"),
        Case.special(
            "a default that looks at the table",
            "create table t (id bigint);"
                + COUNT.formatted("stable")
                + "alter table t add column n bigint default rows_of_t();"),
        Case.special(
            "a default of the statement",
            "create table t (id bigint, by text default current_query());"),
        Case.special(
                "a default of the statement's time",
                "create table t (id bigint, at timestamptz default statement_timestamp());")
            .observed("select id, (select count(distinct at) from t) from t"),
        Case.special(
            "a generated column that looks at the table",
            "create table t (id bigint);"
                + COUNT.formatted("immutable")
                + "alter table t add column n bigint generated always as (rows_of_t()) stored;"),
        Case.special(
            "an index with a function that looks at the table",
            "create table t (id bigint);"
                + "create function few(bigint) returns bigint language plpgsql immutable security definer as"
                + " $$ begin if (select count(*) from public.t) > 4 then raise exception 'full'; end if; return 1; end $$;"
                + "create index on t ((few(id)));"),
        Case.special(
            "a cast that looks at the table",
            "create table t (id text); "
                + COUNT.formatted("stable")
                + "create function cast_by_count(bigint) returns text language sql stable as"
                + " $$ select concat(rows_of_t(), '/', $1::int4) $$;"
                + "create cast (bigint as text) with function cast_by_count(bigint) as assignment;"));
  }

  @ParameterizedTest
  @MethodSource("numbered")
  void haveTheSameEffectsAsAlone(Case each) {
    alone.create(each);
    together.create(each);
    try {
      List<String> expected = alone.performAlone(each);
      List<String> results = together.performTogether(each);
      assertThat(results).isEqualTo(expected);
      assertThat(together.rows(each.observed())).isEqualTo(alone.rows(each.observed()));
      if (each.arrays()) {
        assertThat(together.commandsPerRow(each)).isLessThan(1);
      }
    } finally {
      alone.drop();
      together.drop();
    }
  }

  @Test
  void followAChangeOfTheTable() {
    Case table = Case.plain("", "create table t (id bigint);" + LOG + COUNTED).on("t_changed");
    together.create(table);
    try {
      together.performTogether(table);
      assertThat(together.commandsPerRow(table)).isLessThan(1);
      together.execute("truncate t_changed");
      together.execute(Case.on("t_changed", COUNTS));
      together.performTogether(table);
      assertThat(together.rows(LOGGED)).isEqualTo(oneByOne(0));

      together.execute("truncate t_changed");
      together.execute("drop trigger counted on t_changed");
      together.execute("alter table t_changed add column at text default current_query()");
      together.performTogether(table);
      assertThat(together.rows("select distinct at from t_changed"))
          .containsExactly(table.insert().replace("?", "$1"));
    } finally {
      together.drop();
    }
  }

  @Test
  void seeATriggerThatWasCommittedWhileTheyWaitedForTheTable() throws Exception {
    Case table =
        Case.plain("waited for", "create table t (id bigint);" + LOG + COUNTED).on("t_locked");
    together.create(table);
    try (Connection other = together.postgres.superuser().getConnection();
        Statement statement = other.createStatement()) {
      together.performTogether(table);
      together.execute("truncate t_locked");
      other.setAutoCommit(false);
      statement.execute(Case.on("t_locked", COUNTS));
      together.pause();
      List<Pending<Long>> pending = together.send(table);
      together.service.resume();
      String waiting =
          "select count(*) from pg_locks where not granted and relation = 't_locked'::regclass";
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> together.rows(waiting).equals(List.of("1")));
      other.commit();
      assertThat(Gateway.results(pending)).containsOnly("1");
      assertThat(together.rows(LOGGED)).isEqualTo(oneByOne(0));
    } finally {
      together.drop();
    }
  }

  @Test
  void seeATriggerThatAStatementAmongThemCreates() throws Exception {
    Case table =
        Case.plain(
                "changed",
                "create table t (id bigint);"
                    + LOG
                    + COUNTED
                    + "create function change() returns text language plpgsql security definer as"
                    + " $$ begin "
                    + COUNTS
                    + "; return 'changed'; end $$;")
            .on("t_altered");
    together.create(table);
    try {
      together.performTogether(table);
      together.execute("truncate t_altered");
      together.pause();
      List<Pending<Long>> before = together.send(table);
      Pending<Rows> change = together.client.executeQuery("select change()", Row.class);
      List<Pending<Long>> after = together.send(table);
      together.service.resume();
      assertThat(GatewayContract.get(change).row(0).get("change")).isEqualTo("changed");
      assertThat(Gateway.results(before)).containsOnly("1");
      assertThat(Gateway.results(after)).containsOnly("1");
      assertThat(together.rows(LOGGED)).isEqualTo(oneByOne(ROWS));
    } finally {
      together.drop();
    }
  }

  /** The log of a table that had so many rows before. */
  private static List<String> oneByOne(long before) {
    return LongStream.range(0, ROWS).mapToObj(id -> id + " of " + (before + id + 1)).toList();
  }

  /** A gateway on a database of its own. */
  private static final class Gateway implements AutoCloseable {

    final TestPostgres postgres = TestPostgres.shared();
    final MemoryBackend backend = MemoryBackend.open();
    final JDBCService service;
    final StatementClient client;

    Gateway() {
      service =
          JDBCService.builder("shop")
              .queues(backend, 1)
              .dataSource(postgres.gateway())
              .migrate(postgres.owner())
              .build();
      service.start();
      client = service.createClient();
    }

    void create(Case each) {
      execute(each.ddl());
      execute(
          "grant select, insert, update, delete on all tables in schema public to forebay_gateway");
    }

    void drop() {
      execute("drop schema public cascade");
      execute("create schema public");
      execute("grant usage on schema public to public");
    }

    void execute(String sql) {
      TestPostgres.execute(postgres.superuser(), sql);
    }

    List<String> performAlone(Case each) {
      List<String> results = new ArrayList<>();
      for (@Nullable Object[] row : each.rows()) {
        results.addAll(results(List.of(client.executeUpdate(each.insert(), row))));
      }
      return results;
    }

    List<String> performTogether(Case each) {
      pause();
      List<Pending<Long>> pending = send(each);
      service.resume();
      return results(pending);
    }

    /** What is sent from now on comes together. */
    void pause() {
      Paused.pause(service, "so that all come together");
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> service.state().phase() == ServiceState.Phase.PAUSED);
    }

    List<Pending<Long>> send(Case each) {
      return each.rows().stream().map(row -> client.executeUpdate(each.insert(), row)).toList();
    }

    static List<String> results(List<Pending<Long>> pending) {
      return pending.stream().map(Gateway::result).toList();
    }

    private static String result(Pending<Long> pending) {
      try {
        return pending.get(20, TimeUnit.SECONDS).toString();
      } catch (ExecutionException e) {
        SqlFailure failure = ((SqlFailed) Objects.requireNonNull(e.getCause())).failure();
        return failure.kind() + " " + failure.sqlState();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    /** How many statements stored the rows, by the number that each has in its transaction. */
    double commandsPerRow(Case each) {
      String table = each.insert().split(" ")[2];
      String[] row =
          rows("select count(distinct (xmin::text, cmin::text)), count(*) from " + table)
              .getFirst()
              .split(",");
      return Double.parseDouble(row[0]) / Double.parseDouble(row[1]);
    }

    List<String> rows(String query) {
      DataSource dataSource = postgres.superuser();
      try (Connection connection = dataSource.getConnection();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(query)) {
        List<String> all = new ArrayList<>();
        while (rows.next()) {
          String[] row = new String[rows.getMetaData().getColumnCount()];
          for (int i = 0; i < row.length; i++) {
            row[i] = rows.getString(i + 1);
          }
          all.add(String.join(",", Arrays.asList(row)));
        }
        return all;
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      client.close();
      service.close();
      backend.close();
      postgres.close();
    }
  }
}
