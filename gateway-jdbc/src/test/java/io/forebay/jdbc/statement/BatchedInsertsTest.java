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
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  private static Object[] of(
      long id,
      long i,
      long s,
      double f,
      float g,
      String x,
      String v,
      boolean b,
      String d,
      String n) {
    BigDecimal decimal = new BigDecimal(d);
    return row(id, i, s, f, g, x, v, b, decimal, new BigDecimal(n), new UUID(id, ~id));
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

  private static final String ALL_TYPES =
      "create table t (id bigint primary key, i int, s smallint, f float8, g float4, x text,"
          + " v varchar(5), b boolean, d numeric, n numeric(5, 2), u uuid);";

  private static final String INSERT_ALL_TYPES =
      "insert into t (id, i, s, f, g, x, v, b, d, n, u) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  /** Each column of the first rows is updated. */
  private static final String UPDATED =
      "create table t (id bigint primary key, n bigint generated by default as identity, m bigint default 7);"
          + " insert into t select i, i, i from generate_series(0, 20) i;";

  private static final String UPSERT =
      "insert into t (id, m) values (?, ?) on conflict (id) do update set m = excluded.m, n = excluded.n";

  /** Keys that begin anew after some, with other values. */
  private static List<@Nullable Object[]> pairs(int rows, int keys) {
    return LongStream.range(0, rows).mapToObj(i -> row(i % keys, i)).toList();
  }

  private static final Object[][] VALUES = {
    of(
        Long.MAX_VALUE,
        Integer.MAX_VALUE,
        Short.MAX_VALUE,
        Double.MAX_VALUE,
        Float.MAX_VALUE,
        "a\tb\nc\\.\"'",
        "ü€😀",
        true,
        "1E+40",
        "0.01"),
    of(
        Long.MIN_VALUE,
        Integer.MIN_VALUE,
        Short.MIN_VALUE,
        Double.MIN_VALUE,
        Float.MIN_VALUE,
        "\\N",
        "x    ",
        false,
        "1E-40",
        "10"),
    of(2, 2, 2, Double.NaN, Float.NaN, " x ", " x ", true, "10000", "0"),
    of(
        3,
        3,
        3,
        Double.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        "y",
        "y",
        true,
        "123456789012345678901234567890.123456789",
        "0.1")
  };

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
        Case.plain("values of all types", ALL_TYPES).rows(INSERT_ALL_TYPES, VALUES),
        Case.special(
                "values that do not fit",
                "create table t (id bigint, s smallint, v varchar(3), n numeric(3, 1));")
            .rows(
                "insert into t (id, s, v, n) values (?, ?, ?, ?)",
                row(1L, 1L, "abc", new BigDecimal("1")),
                row(3L, 1L, "abcd", new BigDecimal("1")),
                row(4L, 1L, "abc  ", new BigDecimal("1")),
                row(5L, 1L, "abc", new BigDecimal("100")),
                row(6L, 1L, "a\u0000b", new BigDecimal("1"))),
        Case.special("a number that does not fit", "create table t (id bigint, s smallint);")
            .rows(
                "insert into t (id, s) values (?, ?)", row(1L, 1L), row(2L, 40_000L), row(3L, 1L)),
        Case.plain(
                "columns of other types",
                "create table t (id numeric, f float8, c char(5), n int, v name);")
            .rows(
                "insert into t (id, f, c, n, v) values (?, ?, ?, ?, ?)",
                row(1L, 1L, "a", new BigDecimal("1.5"), "a"),
                row(2L, 1L << 60, "b ", new BigDecimal("2.5"), "b")),
        Case.plain(
                "columns whose names need quotes",
                "create table t (id bigint, \"Id\" bigint, \"a \"\"b\" bigint);")
            .rows(
                "insert into t (ID, \"Id\", \"a \"\"b\") values (?, ?, ?)",
                row(1L, 2L, 3L),
                row(4L, 5L, 6L)),
        Case.special(
                "a key that is always generated",
                "create table t (id bigint, n bigint generated always as identity);")
            .rows("insert into t (id, n) values (?, ?)", row(1L, 1L), row(2L, 2L)),
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
        Case.plain("updates on conflict", UPDATED)
            .with(UPSERT, pairs(ROWS, ROWS))
            .observed("select * from t order by id"),
        Case.plain("several updates of a key", UPDATED)
            .with(UPSERT, pairs(200, 90))
            .observed("select id, m from t order by id"),
        Case.special("many updates of a key", UPDATED)
            .with(UPSERT, pairs(ROWS, 3))
            .observed("select id, m from t order by id"),
        Case.plain("updates on conflict that fail", UPDATED + "alter table t add check (m <> 30);")
            .with(UPSERT, pairs(ROWS, ROWS))
            .observed("select id, m from t order by id"),
        Case.special(
                "keys that are equal for the database only",
                "create table t (id numeric primary key, m bigint);")
            .with(
                "insert into t (id, m) values (?, ?) on conflict (id) do update set m = excluded.m",
                List.of(
                    row(new BigDecimal("1.0"), 1L),
                    row(new BigDecimal("1.00"), 2L),
                    row(new BigDecimal("1"), 3L)))
            .observed("select id::int, m from t order by id, m"),
        Case.special("updates that change the key", UPDATED)
            .with(
                "insert into t (id, m) values (?, ?) on conflict (id) do update set id = excluded.m",
                Stream.concat(
                        Stream.of(row(1L, 1L), row(1L, 5L), row(5L, 30L)),
                        LongStream.range(100, 200).mapToObj(id -> row(id, id)))
                    .toList())
            .observed("select id from t order by id"),
        Case.special("another unique column", UPDATED + "create unique index on t (m);")
            .with(UPSERT, List.of(row(0L, 50L), row(0L, 1L), row(1L, 60L), row(2L, 1L)))
            .observed("select id, m from t order by id"),
        Case.special(
                "a trigger before each update",
                UPDATED
                    + trigger("before update", "row", "new.m := (select sum(m) from t);")
                        .replace("create table t (id bigint, seen bigint);", "")
                        .replace("plpgsql", "plpgsql stable"))
            .with(UPSERT, pairs(ROWS, ROWS))
            .observed("select id, m from t order by id"),
        Case.special(
                "a trigger of a table to which updates of the key cascade",
                trigger(
                        "after update",
                        "row",
                        "insert into log (entry) values ((select sum(m) from t));")
                    .replace("(id bigint, seen bigint)", "(id numeric primary key, m bigint)")
                    .replace("on t ", "on child ")
                    .replace(
                        "create trigger",
                        "create table child (id numeric references t on update cascade);"
                            + "insert into t select i, i from generate_series(1, 9) i;"
                            + "insert into child select id from t; create trigger"))
            .with(
                "insert into t (id, m) values (?, ?) on conflict (id) do update set id = excluded.id, m = excluded.m",
                LongStream.range(1, 10)
                    .mapToObj(id -> row(new BigDecimal(id + ".0"), 10 * id))
                    .toList())
            .observed("select entry from log order by n"),
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
    try {
      List<String> expected = alone.performAlone(each);
      List<String> rows = alone.rows(each.observed());
      together.create(each);
      try {
        assertThat(together.performTogether(each)).isEqualTo(expected);
        assertThat(together.rows(each.observed())).isEqualTo(rows);
        if (each.arrays()) {
          assertThat(together.commandsPerRow(each)).isLessThan(1);
        }
      } finally {
        together.drop();
      }
    } finally {
      alone.drop();
    }
  }

  @Test
  void followAChangeOfTheTable() {
    Gateway gateway = together;
    Case table = Case.plain("", "create table t (id bigint);" + LOG + COUNTED).on("t_changed");
    gateway.create(table);
    try {
      gateway.performTogether(table);
      assertThat(gateway.commandsPerRow(table)).isLessThan(1);
      gateway.execute("truncate t_changed");
      gateway.execute("alter table t_changed alter column id type float8");
      gateway.performTogether(table);
      assertThat(gateway.rows("select id from t_changed limit 3")).containsExactly("0", "1", "2");

      gateway.execute("truncate t_changed");
      gateway.execute(Case.on("t_changed", COUNTS));
      gateway.performTogether(table);
      assertThat(gateway.rows(LOGGED)).isEqualTo(oneByOne(0));

      gateway.execute("truncate t_changed");
      gateway.execute("drop trigger counted on t_changed");
      gateway.execute("alter table t_changed add column at text default current_query()");
      gateway.performTogether(table);
      assertThat(gateway.rows("select distinct at from t_changed"))
          .containsExactly(table.insert().replace("?", "$1"));
    } finally {
      gateway.drop();
    }
  }

  private static final String CHANGING =
      """
      create table t (id bigint primary key);
      create function same(bigint) returns bigint language plpgsql immutable
        as 'begin return $1; end';
      create function fired() returns trigger language plpgsql as 'begin return new; end';
      create trigger updated before update on t for each row execute function fired();
      create function text_of(bigint) returns text language sql immutable as 'select $1::int::text';
      create domain positive as bigint check (same(value) > 0);
      """
          + LOG;

  static List<String> changes() {
    return List.of(
        "create trigger fired before insert on t for each row execute function fired()",
        "create constraint trigger fired after insert on t for each row execute function fired()",
        "create or replace trigger updated before insert on t for each row execute function fired()",
        "create rule logged as on insert to t do also insert into log (entry) values ('row')",
        "create policy everything on t using (true); alter table t enable row level security",
        "alter table t add n bigint default same(1)",
        "alter table t add n bigint; alter table t alter n set default same(1)",
        "alter table t add n bigint default 1; alter table t alter n set default same(1)",
        "alter table t add n bigint generated always as (same(id)) stored",
        "alter table t add n positive",
        "alter table t add n bigint; alter table t alter n type positive",
        "alter table t add check (same(id) >= 0)",
        "alter table t add exclude (same(id) with =)",
        "alter table t add parent bigint references t",
        "create index on t ((same(id)))",
        "alter table t add at timestamptz default now(); create unique index on t (id, at)",
        "alter table t add on_day date default current_date; create unique index on t ((id % 9000), on_day)",
        "create index on t (id) where same(id) > 0",
        "create table p (id bigint) partition by range (id); alter table p attach partition t default",
        "create cast (bigint as text) with function text_of(bigint) as assignment");
  }

  @ParameterizedTest
  @MethodSource("changes")
  void noticeAChangeOfTheTable(String change) {
    String name = "t_noticed" + changes().indexOf(change);
    Case table = Case.plain("", CHANGING).on(name);
    together.create(table);
    try {
      together.performTogether(table);
      assertThat(together.commandsPerRow(table)).isLessThan(1);
      together.execute("truncate " + name);
      together.execute(Case.on(name, change));
      assertThat(together.performTogether(table)).containsOnly("1");
      assertThat(together.commandsPerRow(table)).isEqualTo(1);
    } finally {
      together.drop();
    }
  }

  @Test
  void areOneStatementFromTwoOn() {
    Case table =
        Case.plain("", "create table t (id bigint);")
            .with("insert into t (id) values (?)", ids(0, 1).subList(0, 2))
            .on("t_two");
    together.create(table);
    try {
      together.performTogether(table);
      assertThat(together.commandsPerRow(table)).isEqualTo(0.5);
    } finally {
      together.drop();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create trigger updated before update on t for each row execute function fired()",
        "create unique index on t ((id + 1))",
        "create table child (id bigint references t on update cascade)"
      })
  void noticeAChangeOfATableThatTheyUpdate(String change) {
    Case table =
        Case.plain("", CHANGING.replace("create trigger updated", "create trigger unused"))
            .with(
                "insert into t (id) values (?) on conflict (id) do update set id = excluded.id",
                ids(0, 1))
            .on("t_updated");
    together.create(table);
    try {
      together.execute("drop trigger unused on t_updated");
      together.performTogether(table);
      assertThat(together.commandsPerRow(table)).isLessThan(1);
      together.execute(Case.on("t_updated", change));
      assertThat(together.performTogether(table)).containsOnly("1");
      assertThat(together.commandsPerRow(table)).isEqualTo(1);
    } finally {
      together.drop();
    }
  }

  /** Each part of the batch that is performed under a savepoint has a transaction number. */
  @Test
  void areOneStatementUpToTheOneThatFailsAndOneFromThereOn() {
    List<@Nullable Object[]> rows = new ArrayList<>(ids(0, 1));
    rows.set(ROWS / 2, row(-7L));
    Case table =
        Case.plain("", "create table t (id bigint primary key); insert into t values (-7);")
            .with("insert into t (id) values (?)", rows)
            .on("t_failing");
    together.create(table);
    try {
      assertThat(together.performTogether(table))
          .containsOnlyOnce("CONSTRAINT 23505")
          .filteredOn("1"::equals)
          .hasSize(ROWS - 1);
      assertThat(together.rows("select count(distinct xmin::text) from t_failing where id >= 0"))
          .containsExactly("2");
    } finally {
      together.drop();
    }
  }

  /** The sequence counts how often PostgreSQL began with a row. */
  @Test
  void costNoMoreThanHalvesIfAllFail() {
    int rows = 640;
    Case table =
        Case.plain(
                "",
                "create table t (id bigint primary key, n bigint generated always as identity);"
                    + " insert into t (id) values (0);")
            .with("insert into t (id) values (?)", Collections.nCopies(rows, row(0L)))
            .on("t_hopeless");
    together.create(table);
    try {
      assertThat(together.performTogether(table)).hasSize(rows).containsOnly("CONSTRAINT 23505");
      long begun =
          Long.parseLong(together.rows("select last_value from t_hopeless_n_seq").getFirst());
      assertThat(begun).isLessThan(rows * 20L);
    } finally {
      together.drop();
    }
  }

  @Test
  void areInTheTableThatTheNameNowMeans() {
    Case table = Case.plain("", "create table t (id bigint);").on("t_hidden");
    together.create(table);
    try {
      together.performTogether(table);
      together.execute("create schema forebay_gateway authorization forebay_gateway");
      together.execute("create table forebay_gateway.t_hidden (id bigint)");
      together.execute("grant insert, select on forebay_gateway.t_hidden to forebay_gateway");
      together.performTogether(table);
      assertThat(together.rows("select count(*) from forebay_gateway.t_hidden"))
          .containsExactly(String.valueOf(ROWS));
    } finally {
      together.execute("drop schema if exists forebay_gateway cascade");
      together.drop();
    }
  }

  @Test
  void seeATriggerThatWasCommittedWhileTheyWaitedForTheTable() throws Exception {
    Gateway gateway = together;
    Case table =
        Case.plain("waited for", "create table t (id bigint);" + LOG + COUNTED).on("t_locked");
    gateway.create(table);
    try (Connection other = gateway.postgres.superuser().getConnection();
        Statement statement = other.createStatement()) {
      gateway.performTogether(table);
      gateway.execute("truncate t_locked");
      other.setAutoCommit(false);
      statement.execute(Case.on("t_locked", COUNTS));
      gateway.pause();
      List<Pending<Long>> pending = gateway.send(table);
      gateway.service.resume();
      String waiting =
          "select count(*) from pg_locks where not granted and relation = 't_locked'::regclass";
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> gateway.rows(waiting).equals(List.of("1")));
      other.commit();
      assertThat(Gateway.results(pending)).containsOnly("1");
      assertThat(gateway.rows(LOGGED)).isEqualTo(oneByOne(0));
    } finally {
      gateway.drop();
    }
  }

  @Test
  void seeATriggerThatAStatementAmongThemCreates() throws Exception {
    Gateway gateway = together;
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
    gateway.create(table);
    try {
      gateway.performTogether(table);
      gateway.execute("truncate t_altered");
      gateway.pause();
      List<Pending<Long>> before = gateway.send(table);
      Pending<Rows> change = gateway.client.executeQuery("select change()", Row.class);
      List<Pending<Long>> after = gateway.send(table);
      gateway.service.resume();
      assertThat(GatewayContract.get(change).row(0).get("change")).isEqualTo("changed");
      assertThat(Gateway.results(before)).containsOnly("1");
      assertThat(Gateway.results(after)).containsOnly("1");
      assertThat(gateway.rows(LOGGED)).isEqualTo(oneByOne(ROWS));
    } finally {
      gateway.drop();
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
