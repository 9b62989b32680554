/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamedSqlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "insert into t values (:a, :b) | insert into t values (?, ?) | a b",
        "select :a from t where x=:a|select ? from t where x=?|a a",
        "select :a::date, b::text from t|select ?::date, b::text from t|a",
        "select ':a', \":b\", 'it''s :c' from t where d = :d|select ':a', \":b\", 'it''s :c' from t where d = ?|d",
        "select 1 /* :a */ -- :b|select 1 /* :a */ -- :b|",
        "select x[1 : 2], x[:n] from t|select x[1 : 2], x[?] from t|n",
        "select a :: date, :b_1 from t|select a :: date, ? from t|b_1",
        "select * from t where j ??:k|select * from t where j ?? ?|k",
        "select x:a|select x ?|a",
        "select $$ :a $$, :b|select $$ :a $$, ?|b",
        "select E'\\' :a', :b|select E'\\' :a', ?|b",
        "select time '10:30', '2026-01-01 10:30:00', :t|select time '10:30', '2026-01-01 10:30:00', ?|t",
        "select :a:b|select ? ?|a b",
      })
  void aColonWithANameIsAParameterUnlessItIsInACastAQuoteOrAComment(
      String sql, String text, String names) {
    NamedSql named = NamedSql.of(sql);
    // where the databases differ, one reading is left, or none
    if (!sql.contains("$$")) {
      assertThat(named.refusal()).isNull();
      assertThat(named.text()).isEqualTo(text);
      assertThat(String.join(" ", named.names())).isEqualTo(names == null ? "" : names);
    } else {
      assertThat(named.refusal()).contains("find different parameters");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "select 1, QUERY",
    "(select 1) union select 2, QUERY",
    "values (1), QUERY",
    "insert into t values (1), UPDATE",
    "insert into t values (1) returning id, QUERY",
    "insert into t values (' returning '), UPDATE",
    "update t set a = 1, UPDATE",
    "delete from t, UPDATE",
    "with x as (select 1) select * from x,",
    "call p(),",
  })
  void theFirstWordsTellTheKind(String sql, @Nullable StatementKind kind) {
    assertThat(NamedSql.of(sql).kind()).isEqualTo(kind);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "commit",
        "set schema x",
        "select 1; select 2",
        "select * from forebay.request",
        "select * from \"FOREBAY\".request",
        "select * from t where a = ?",
        "select 'open",
      })
  void whatNoGatewayPerformsIsRefused(String sql) {
    assertThat(NamedSql.of(sql).refusal()).isNotNull().doesNotContain("request", "select *");
  }

  @Test
  void aQuestionMarkIsRefusedWithHowTheOperatorIsWritten() {
    assertThat(NamedSql.of("select * from t where j ? :k").refusal()).contains(":item", "??");
  }

  @ParameterizedTest
  @ValueSource(strings = {"create table t (a int)", "truncate table t"})
  void whatOneOfTheDatabasesPerformsIsLeftToIt(String sql) {
    assertThat(NamedSql.of(sql).refusal()).isNull();
  }
}
