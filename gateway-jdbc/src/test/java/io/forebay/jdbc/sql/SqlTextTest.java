/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import static io.forebay.database.Dialect.HSQLDB;
import static io.forebay.database.Dialect.POSTGRESQL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.forebay.database.Dialect;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTextTest {

  @ParameterizedTest
  @MethodSource
  void countsTheArgumentsOutsideOfLiteralsAndComments(Dialect dialect, int expected, String sql) {
    assertThat(new SqlText(sql, dialect).placeholders()).isEqualTo(expected);
  }

  static Stream<Arguments> countsTheArgumentsOutsideOfLiteralsAndComments() {
    return Stream.of(
        arguments(HSQLDB, 2, "insert into t (a, b) values (?, ?)"),
        arguments(HSQLDB, 1, "select '?', \"?\", 'it''s ?' from t where a = ? -- ?"),
        arguments(HSQLDB, 1, "select /* ? */ ? from t"),
        arguments(HSQLDB, 1, "select /* /* ? */ ? from t"),
        arguments(HSQLDB, 1, "select 'a\\' || ? || 'b' from t"),
        arguments(HSQLDB, 1, "select $$ || ? || $$ from t"),
        arguments(HSQLDB, 1, "select a??(1??) from t where b = ?"),
        arguments(POSTGRESQL, 1, "select /* /* ? */ ? */ ? from t"),
        arguments(POSTGRESQL, 0, "select E'\\'?' from t"),
        arguments(POSTGRESQL, 1, "select e'\\\\' || ? || '' from t"),
        arguments(POSTGRESQL, 1, "select 'a\\' || ? || 'b' from t"),
        arguments(POSTGRESQL, 0, "select E'a'\n  'b\\'?' from t"),
        arguments(POSTGRESQL, 0, "select E'a' -- more\n  'b\\'?' from t"),
        arguments(POSTGRESQL, 1, "select note'b\\' || ? || '' from t"),
        arguments(POSTGRESQL, 0, "select $$ ? ' $$ from t"),
        arguments(POSTGRESQL, 0, "select $a$ ? $$ ? $b$ ? $a$ from t"),
        arguments(POSTGRESQL, 1, "select a$b$c, ?, d$b$ from t"),
        arguments(POSTGRESQL, 1, "select $1, ?, '$1' from t"),
        arguments(POSTGRESQL, 1, "select $ä$ ? $ä$, ? from t"),
        arguments(POSTGRESQL, 1, "select j ?? 'a' and k ??| ? from t"),
        arguments(POSTGRESQL, 1, "select U&'\\0041?', B'01', x'ff', ? from t"),
        arguments(POSTGRESQL, 1, "select a --?\r, ? from t"));
  }

  @ParameterizedTest
  @EnumSource
  void findsTheFirstWordBehindCommentsAndParentheses(Dialect dialect) {
    assertThat(new SqlText("/* a */ -- b\n ((select 1))", dialect).keyword()).isEqualTo("SELECT");
    assertThat(new SqlText("{? = call f(?)}", dialect).keyword()).isEqualTo("CALL");
    assertThat(new SqlText("With x as (select 1) select * from x", dialect).keyword())
        .isEqualTo("WITH");
    assertThat(new SqlText("'commit'", dialect).keyword()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource
  void refusesWhatWouldBreakTheBatch(Dialect dialect, String sql, String reason) {
    assertThat(new SqlText(sql, dialect).refusal()).contains(reason);
  }

  static Stream<Arguments> refusesWhatWouldBreakTheBatch() {
    Stream.Builder<Arguments> all = Stream.builder();
    for (Dialect dialect : Dialect.values()) {
      for (String sql :
          List.of(
              "COMMIT",
              " commit ;",
              "/**/commit work",
              "-- x\ncommit",
              "end",
              "rollback to savepoint a",
              "abort",
              "begin",
              "start transaction",
              "savepoint a",
              "release savepoint a")) {
        all.add(arguments(dialect, sql, "controls the transaction"));
      }
      for (String sql :
          List.of(
              "set schema x",
              "set local lock_timeout = 0",
              "set constraints all deferred",
              "reset all",
              "discard all",
              "prepare transaction 'x'",
              "execute x",
              "listen x")) {
        all.add(arguments(dialect, sql, "changes the session"));
      }
      for (String sql :
          List.of(
              "insert into t values (1); commit",
              "select 1;;select 2",
              "select 1; /* x */ -- y\n commit",
              "select 1 /* ' */; select ' '")) {
        all.add(arguments(dialect, sql, "more than one statement"));
      }
      for (String sql :
          List.of(
              "delete from forebay.progress",
              "delete from Forebay . progress",
              "delete from \"forebay\".progress",
              "delete from\"FOREBAY\".\"PROGRESS\"",
              "delete from x.forebay.progress",
              "delete from forebay\n.progress",
              "select (select 1 from/**/forebay.outcome) from t")) {
        all.add(arguments(dialect, sql, "refers to schema forebay"));
      }
      for (String sql :
          List.of("select 'a", "select \"a", "select 1 /* a", "select 'it''", "insert into t /*")) {
        all.add(arguments(dialect, sql, "is not closed"));
      }
      for (String sql : List.of("", " \n", ";", "-- commit", "/* select 1 */ ;;")) {
        all.add(arguments(dialect, sql, "no statement"));
      }
      all.add(arguments(dialect, "vacuum", "VACUUM cannot be performed"));
      all.add(arguments(dialect, "checkpoint", "CHECKPOINT cannot be performed"));
      all.add(arguments(dialect, "copy t from stdin", "use INSERT"));
      all.add(arguments(dialect, "'a' commit", "does not begin with a keyword"));
      all.add(arguments(dialect, "delete from U&\"\\0066orebay\".progress", "Unicode escapes"));
    }
    for (String sql :
        List.of(
            "create table t (a int)",
            "drop table t",
            "alter table t add b int",
            "truncate table t and commit",
            "comment on table t is 'x'",
            "grant all on t to public")) {
      all.add(arguments(HSQLDB, sql, "commits implicitly"));
    }
    for (String sql :
        List.of("shutdown", "script", "backup database to 'x'", "lock table t write", "analyze")) {
      all.add(arguments(HSQLDB, sql, "cannot be performed in one transaction"));
    }
    // A comment of HSQLDB ends at the first carriage return, whatever line feeds come before.
    all.add(
        arguments(
            HSQLDB, "delete from --\n ' \r forebay.progress --'", "refers to schema forebay"));
    all.add(arguments(HSQLDB, "delete from forebay\u00a0.progress", "refers to schema forebay"));
    all.add(arguments(HSQLDB, "select /* /* */ 1; commit /* */", "more than one statement"));
    all.add(arguments(HSQLDB, "select $$; commit; $$", "more than one statement"));
    all.add(arguments(POSTGRESQL, "do $$ begin perform 1; end $$", "DO"));
    all.add(arguments(POSTGRESQL, "drop schema forebay cascade", "refers to schema forebay"));
    all.add(
        arguments(POSTGRESQL, "grant all on all tables in schema forebay to x", "schema forebay"));
    all.add(arguments(POSTGRESQL, "select set_config('a.b', 'c', false)", "changes the session"));
    all.add(
        arguments(POSTGRESQL, "select pg_catalog.\"set_config\" ('a.b', 'c', false)", "session"));
    all.add(arguments(POSTGRESQL, "select E'\\\\'; commit; --'", "more than one statement"));
    all.add(arguments(POSTGRESQL, "select E'a'\n'b\\', ' || forebay.x --'", "schema forebay"));
    all.add(arguments(POSTGRESQL, "select $a$ $b$ $a$; commit --$b$", "more than one"));
    all.add(arguments(POSTGRESQL, "select 1$$' $$; commit --'", "more than one statement"));
    all.add(arguments(POSTGRESQL, "select a$$b; commit --$$", "more than one statement"));
    all.add(arguments(POSTGRESQL, "select $a$ ... $A$", "is not closed"));
    all.add(arguments(POSTGRESQL, "select 1 /* /* */", "is not closed"));
    return all.build();
  }

  @ParameterizedTest
  @MethodSource
  void acceptsWhatABatchMayHold(Dialect dialect, String sql) {
    assertThat(new SqlText(sql, dialect).refusal()).isNull();
  }

  static Stream<Arguments> acceptsWhatABatchMayHold() {
    Stream.Builder<Arguments> all = Stream.builder();
    for (Dialect dialect : Dialect.values()) {
      for (String sql :
          List.of(
              "insert into t (a) values ('commit; drop table t')",
              "update t set \"commit;\" = ? where a = ';' -- ; commit\n;",
              "delete from t where note = 'forebay.progress'",
              "select forebay from t",
              "select a from t as forebay",
              "select xforebay.a, forebayx.a from xforebay, forebayx",
              "merge into t using (values (1)) as s (a) on t.a = s.a when matched then delete",
              "call f(?)",
              "values (1)",
              "table t",
              "(select 1) union (select 2)",
              "{call f(?)}",
              "explain plan for select 1")) {
        all.add(arguments(dialect, sql));
      }
    }
    for (String sql :
        List.of(
            "create table t (a int)",
            "truncate t",
            "create function f() returns int language sql as $$ select 1; select 2; $$",
            "lock table t",
            "notify x, 'y'",
            "explain (analyze) insert into t values (1)",
            "insert into t (a) values (?) returning id",
            "select E'\\'; commit; --'",
            "select $$; commit; $$",
            "select set_config from t",
            "select 1 /* /* ; commit */ ; commit */")) {
      all.add(arguments(POSTGRESQL, sql));
    }
    all.add(arguments(HSQLDB, "select 1 -- a\n; commit\r"));
    return all.build();
  }

  @Test
  void saysNothingOfTheTextButTheFirstWord() {
    String refusal = new SqlText("frobnicate 'secret' ".repeat(9), POSTGRESQL).refusal();
    assertThat(refusal).contains("FROBNICATE").doesNotContain("secret");
    assertThat(new SqlText("x".repeat(1000), POSTGRESQL).refusal()).hasSizeLessThan(150);
  }

  @ParameterizedTest
  @MethodSource
  void findsThePartsOfAPlainInsert(String sql, String table, String columns, int count) {
    PlainInsert insert = new SqlText(sql, POSTGRESQL).plainInsert();
    assertThat(insert).isNotNull();
    assertThat(insert.table()).isEqualTo(table);
    assertThat(insert.columnList()).isEqualTo(columns);
    assertThat(insert.columns()).hasSize(count);
  }

  static Stream<Arguments> findsThePartsOfAPlainInsert() {
    return Stream.of(
        arguments("insert into t (a) values (?)", "t", "a", 1),
        arguments(
            "INSERT INTO Shop.\"Order\"(Id,\"a,b\")VALUES(?,?);",
            "Shop.\"Order\"",
            "Id, \"a,b\"",
            2),
        arguments("insert into t -- (x)\n (a, /* , */ b) values (? , ?) -- end", "t", "a, b", 2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into t values (?)",
        "insert into t (a) values (?), (?)",
        "insert into t (a) values (?) returning a",
        "insert into t (a) values (?) on conflict do nothing",
        "insert into t (a) values (?) on conflict (a) do nothing",
        "insert into t (a) values (?) on conflict on constraint a do update set a = excluded.a",
        "insert into t (a) values (?) on conflict (b) do update set a = excluded.a",
        "insert into t (a) values (?) on conflict (a) where a > 0 do update set a = excluded.a",
        "insert into t (a) values (?) on conflict (a) do update set a = excluded.a where t.a > 0",
        "insert into t (a) values (?) on conflict (a) do update set a = excluded.a returning a",
        "insert into t (a) values (?) on conflict (a) do update set a = t.a",
        "insert into t (a, b) values (?, ?) on conflict (a) do update set a = excluded.b",
        "insert into t (a, b) values (?, ?) on conflict (a) do update set b = excluded.b, a = excluded.b",
        "insert into t (a) values (?) on conflict (a) do update set a = excluded.a + 1",
        "insert into t (a) values (?) on conflict (a) do update set a = ?",
        "insert into t (a, b) values (?)",
        "insert into t (a) values (?, ?)",
        "insert into t (a, b) values (?, 1)",
        "insert into t (a) values (?::int)",
        "insert into t (a) values (-?)",
        "insert into t (a) overriding system value values (?)",
        "insert into t as x (a) values (?)",
        "insert into t () values ()",
        "insert into t (a,) values (?)",
        "insert into t (a[1]) values (?)",
        "insert into t (a.b) values (?)",
        "insert into t. (a) values (?)",
        "insert into (a) values (?)",
        "insert into t (a) select ?",
        "insert into t (a) values (?",
        "insert into t (a) values (?) ; select 1",
        "insert into forebay.progress (service) values (?)",
        "with x as (select 1) insert into t (a) values (?)",
        "insert"
      })
  void takesNothingElseForAPlainInsert(String sql) {
    assertThat(new SqlText(sql, POSTGRESQL).plainInsert()).isNull();
  }

  @Test
  void findsWhatAPlainInsertDoesOnConflict() {
    PlainInsert insert =
        new SqlText(
                "insert into t (a, set, b) values (?, ?, ?) ON CONFLICT (b,a)"
                    + " DO UPDATE SET set = EXCLUDED.set,\"x y\"=excluded.\"x y\"",
                POSTGRESQL)
            .plainInsert();
    assertThat(insert).isNotNull();
    assertThat(insert.columns()).containsExactly("a", "set", "b");
    assertThat(insert.key()).containsExactly(2, 0);
    assertThat(insert.conflict().replace(" ", ""))
        .isEqualTo("ONCONFLICT(b,a)DOUPDATESETset=EXCLUDED.set,\"xy\"=excluded.\"xy\"");
  }

  @Test
  void looksForPlainInsertsOnPostgresqlOnly() {
    assertThat(new SqlText("insert into t (a) values (?)", HSQLDB).plainInsert()).isNull();
  }
}
