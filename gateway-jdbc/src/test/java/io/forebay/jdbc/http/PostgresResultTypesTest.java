/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.value.Json;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.http.ResultTypes.Value;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of every PostgreSQL type are returned unchanged, whatever the role sets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresResultTypesTest {

  /** Statistics and tree nodes, whose values cannot be written; they are returned as text. */
  private static final Set<String> NOT_WRITABLE =
      Set.of(
          "gtsvector",
          "pg_brin_bloom_summary",
          "pg_brin_minmax_multi_summary",
          "pg_dependencies",
          "pg_mcv_list",
          "pg_ndistinct",
          "pg_node_tree");

  private static final UUID ID = UUID.fromString("01234567-89ab-4def-8123-456789abcdef");

  private TestPostgres postgres;
  private ResultTypes types;

  @BeforeAll
  void start() throws Exception {
    postgres = TestPostgres.shared();
    try (Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create type mood as enum ('good', 'so so'); create domain few as int check (value < 10);"
              + " create type pair as (a int, b text);"
              + " create type moods as range (subtype = mood);"
              + " create table wide (a int[], b date[])");
    }
    for (String setting :
        List.of(
            "extra_float_digits = 0",
            "intervalstyle = sql_standard",
            "bytea_output = escape",
            "array_nulls = off",
            "datestyle = 'German'",
            "timezone = 'Asia/Tokyo'")) {
      TestPostgres.execute(
          postgres.superuser(),
          "alter role forebay_gateway in database " + postgres.database() + " set " + setting);
    }
    types = new ResultTypes(postgres.gateway(), postgres.owner());
  }

  @Test
  void aListWithNullArrives() throws Exception {
    assertThat(
            types
                .client()
                .executeQuery(
                    "select cast(? as numeric[])",
                    Row.class,
                    Arrays.asList(new BigDecimal("1.50"), null))
                .get(20, TimeUnit.SECONDS)
                .values())
        .containsExactly(List.of(Arrays.asList(new BigDecimal("1.50"), null)));
  }

  @AfterAll
  void stop() {
    types.close();
    postgres.close();
  }

  static List<Value> scalars() {
    return List.of(
        new Value("bool", "true", true, "true"),
        new Value("int2", "(-32768)::int2", -32768L, "-32768"),
        new Value("int4", "7", 7L, "7"),
        new Value("int8", "9223372036854775807", Long.MAX_VALUE, "9223372036854775807"),
        new Value("oid", "4294967295::oid", 4294967295L, "4294967295"),
        new Value("float4", "0.1::float4", 0.1f, "0.1"),
        new Value("float4", "'NaN'::float4", Float.NaN, "\"NaN\""),
        new Value("float8", "0.1::float8", 0.1, "0.1"),
        new Value("float8", "0.1::float8 + 0.2::float8", 0.1 + 0.2, "0.30000000000000004"),
        new Value("float8", "'5e-324'::float8", Double.MIN_VALUE, "4.9E-324"),
        new Value("float8", "'-0'::float8", -0.0, "-0.0"),
        new Value("float8", "'-Infinity'::float8", Double.NEGATIVE_INFINITY, "\"-Infinity\""),
        new Value(
            "numeric",
            "12345678901234567890123456789012345678.900",
            new BigDecimal("12345678901234567890123456789012345678.900"),
            "\"12345678901234567890123456789012345678.900\""),
        new Value(
            "numeric",
            "1e40::numeric",
            new BigDecimal("1" + "0".repeat(40)),
            "\"1" + "0".repeat(40) + "\""),
        new Value("numeric", "'NaN'::numeric", Double.NaN, "\"NaN\""),
        new Value("numeric", "'Infinity'::numeric", Double.POSITIVE_INFINITY, "\"Infinity\""),
        new Value("numeric", "'-Infinity'::numeric", Double.NEGATIVE_INFINITY, "\"-Infinity\""),
        Value.text("money", "'92233720368547758.07'::money", "$92,233,720,368,547,758.07"),
        Value.text("bit", "'1'::bit", "1"),
        Value.text("bit", "'101'::bit(3)", "101"),
        Value.text("varbit", "'0101'::varbit", "0101"),
        new Value("bytea", "'\\x00ff'::bytea", new byte[] {0, -1}, "\"AP8=\""),
        Value.text("bpchar", "'a'::char(3)", "a  "),
        Value.text("varchar", "'ü€😀'::varchar", "ü€😀"),
        Value.text("text", "''::text", ""),
        Value.text("name", "'item'::name", "item"),
        Value.text("char", "'x'::\"char\"", "x"),
        new Value("date", "'2026-03-01'::date", LocalDate.of(2026, 3, 1), "\"2026-03-01\""),
        new Value("date", "'0044-03-15 BC'::date", LocalDate.of(-43, 3, 15), "\"-0043-03-15\""),
        new Value(
            "date", "'5874897-12-31'::date", LocalDate.of(5874897, 12, 31), "\"+5874897-12-31\""),
        Value.text("date", "'infinity'::date", "infinity"),
        Value.text("date", "'-infinity'::date", "-infinity"),
        new Value("time", "'13:30'::time", LocalTime.of(13, 30), "\"13:30:00\""),
        new Value(
            "time",
            "'23:59:59.999999'::time",
            LocalTime.of(23, 59, 59, 999_999_000),
            "\"23:59:59.999999\""),
        Value.text("time", "'24:00'::time", "24:00:00"),
        Value.text("timetz", "'13:30:00.5+01'::timetz", "13:30:00.5+01:00"),
        Value.text("timetz", "'24:00:00-15:59:59'::timetz", "24:00:00-15:59:59"),
        new Value(
            "timestamp",
            "'2026-03-01 13:30'::timestamp",
            LocalDateTime.of(2026, 3, 1, 13, 30),
            "\"2026-03-01T13:30:00\""),
        new Value(
            "timestamp",
            "'0044-03-15 12:00:00.000001 BC'::timestamp",
            LocalDateTime.of(-43, 3, 15, 12, 0, 0, 1_000),
            "\"-0043-03-15T12:00:00.000001\""),
        new Value(
            "timestamp",
            "'294276-12-31 23:59:59.999999'::timestamp",
            LocalDateTime.of(294276, 12, 31, 23, 59, 59, 999_999_000),
            "\"+294276-12-31T23:59:59.999999\""),
        Value.text("timestamp", "'infinity'::timestamp", "infinity"),
        Value.text("timestamp", "'-infinity'::timestamp", "-infinity"),
        new Value(
            "timestamptz",
            "'2026-03-01 13:30:00.5+01'::timestamptz",
            OffsetDateTime.of(2026, 3, 1, 12, 30, 0, 500_000_000, ZoneOffset.UTC),
            "\"2026-03-01T12:30:00.5Z\""),
        new Value(
            "timestamptz",
            "'0044-03-15 12:00:00+00 BC'::timestamptz",
            OffsetDateTime.of(-43, 3, 15, 12, 0, 0, 0, ZoneOffset.UTC),
            "\"-0043-03-15T12:00:00Z\""),
        Value.text("timestamptz", "'infinity'::timestamptz", "infinity"),
        Value.text("timestamptz", "'-infinity'::timestamptz", "-infinity"),
        Value.text(
            "interval",
            "'1 year 2 months -3 days 04:05:06.789012'::interval",
            "1 year 2 mons -3 days +04:05:06.789012"),
        new Value("uuid", "'" + ID + "'::uuid", ID, "\"" + ID + "\""),
        new Value("json", "'{\"a\" : 1.50}'::json", new Json("{\"a\" : 1.50}"), "{\"a\" : 1.50}"),
        new Value("json", "'null'::json", new Json("null"), "null"),
        new Value("jsonb", "'[1.50, \"a\"]'::jsonb", new Json("[1.50, \"a\"]"), "[1.50, \"a\"]"),
        Value.text("jsonpath", "'$.a'::jsonpath", "$.\"a\""),
        Value.text("xml", "'<a>ü</a>'::xml", "<a>ü</a>"),
        Value.text("inet", "'10.0.0.1/8'::inet", "10.0.0.1/8"),
        Value.text("cidr", "'10.0.0.0/8'::cidr", "10.0.0.0/8"),
        Value.text("macaddr", "'08:00:2b:01:02:03'::macaddr", "08:00:2b:01:02:03"),
        Value.text("macaddr8", "'08:00:2b:01:02:03:04:05'::macaddr8", "08:00:2b:01:02:03:04:05"),
        Value.text("point", "'(1,2.5)'::point", "(1,2.5)"),
        Value.text("line", "'{1,2,3}'::line", "{1,2,3}"),
        Value.text("lseg", "'[(1,2),(3,4)]'::lseg", "[(1,2),(3,4)]"),
        Value.text("box", "'(3,4),(1,2)'::box", "(3,4),(1,2)"),
        Value.text("path", "'[(1,2),(3,4)]'::path", "[(1,2),(3,4)]"),
        Value.text("polygon", "'((1,2),(3,4))'::polygon", "((1,2),(3,4))"),
        Value.text("circle", "'<(1,2),3>'::circle", "<(1,2),3>"),
        Value.text("tsvector", "'a:1 b'::tsvector", "'a':1 'b'"),
        Value.text("tsquery", "'a & b'::tsquery", "'a' & 'b'"),
        Value.text("int4range", "'[1,5)'::int4range", "[1,5)"),
        Value.text("int8range", "'empty'::int8range", "empty"),
        Value.text("numrange", "'(1.50,]'::numrange", "(1.50,)"),
        Value.text("daterange", "'[2026-01-01,infinity)'::daterange", "[2026-01-01,infinity)"),
        Value.text(
            "tsrange",
            "'[2026-01-01 00:00,2026-01-02 00:00)'::tsrange",
            "[\"2026-01-01 00:00:00\",\"2026-01-02 00:00:00\")"),
        Value.text("tstzrange", "'(,)'::tstzrange", "(,)"),
        Value.text("int4multirange", "'{[1,2),[4,5)}'::int4multirange", "{[1,2),[4,5)}"),
        Value.text("int8multirange", "'{}'::int8multirange", "{}"),
        Value.text("nummultirange", "'{[1.5,2)}'::nummultirange", "{[1.5,2)}"),
        Value.text("datemultirange", "'{(,2026-01-01)}'::datemultirange", "{(,2026-01-01)}"),
        Value.text("tsmultirange", "'{(,)}'::tsmultirange", "{(,)}"),
        Value.text("tstzmultirange", "'{(,)}'::tstzmultirange", "{(,)}"),
        Value.text("pg_lsn", "'16/B374D848'::pg_lsn", "16/B374D848"),
        Value.text("xid", "'7'::xid", "7"),
        Value.text("xid8", "'18446744073709551615'::xid8", "18446744073709551615"),
        Value.text("cid", "'7'::cid", "7"),
        Value.text("tid", "'(1,2)'::tid", "(1,2)"),
        Value.text("pg_snapshot", "'10:20:10,14'::pg_snapshot", "10:20:10,14"),
        Value.text("txid_snapshot", "'10:20:10,14'::txid_snapshot", "10:20:10,14"),
        Value.text("regclass", "'pg_class'::regclass", "pg_class"),
        Value.text("regcollation", "'\"C\"'::regcollation", "\"C\""),
        Value.text("regconfig", "'simple'::regconfig", "simple"),
        Value.text("regdictionary", "'simple'::regdictionary", "simple"),
        Value.text("regnamespace", "'pg_catalog'::regnamespace", "pg_catalog"),
        Value.text("regoper", "'||/'::regoper", "||/"),
        Value.text("regoperator", "'+(int4,int4)'::regoperator", "+(integer,integer)"),
        Value.text("regproc", "'now'::regproc", "now"),
        Value.text("regprocedure", "'now()'::regprocedure", "now()"),
        Value.text("regrole", "'postgres'::regrole", "postgres"),
        Value.text("regtype", "'int4'::regtype", "integer"),
        Value.text("aclitem", "'postgres=r/postgres'::aclitem", "postgres=r/postgres"),
        Value.text("refcursor", "'c1'::refcursor", "c1"),
        Value.text("int2vector", "'1 2'::int2vector", "1 2"),
        Value.text("oidvector", "'1 2'::oidvector", "1 2"),
        Value.text("record", "row(1, 'a b')", "(1,\"a b\")"),
        Value.text("pair", "(1, null)::pair", "(1,)"),
        Value.text("mood", "'so so'::mood", "so so"),
        new Value("few", "7::few", 7L, "7"),
        Value.text("moods", "'[good,so so]'::moods", "[good,\"so so\"]"));
  }

  static List<Value> others() {
    return List.of(
        Value.text("void", "pg_sleep(0)", ""),
        new Value("null", "null", null, "null"),
        new Value("_int4", "'{}'::int[]", List.of(), "[]"),
        new Value(
            "_int4",
            "'{{1,2},{3,null}}'::int[]",
            List.of(List.of(1L, 2L), Arrays.asList(3L, null)),
            "[[1,2],[3,null]]"),
        Value.text("_int4", "'[2:3]={1,2}'::int[]", "[2:3]={1,2}"),
        new Value(
            "_text",
            "array[['a,\"b', 'NULL'], [null, '']]",
            List.of(List.of("a,\"b", "NULL"), Arrays.asList(null, "")),
            "[[\"a,\\\"b\",\"NULL\"],[null,\"\"]]"),
        new Value(
            "_date",
            "'{{2026-01-01,infinity}}'::date[]",
            List.of(List.of(LocalDate.of(2026, 1, 1), "infinity")),
            "[[\"2026-01-01\",\"infinity\"]]"),
        new Value(
            "_time",
            "'{13:30:00.123456,24:00}'::time[]",
            List.of(LocalTime.of(13, 30, 0, 123_456_000), "24:00:00"),
            "[\"13:30:00.123456\",\"24:00:00\"]"));
  }

  @ParameterizedTest
  @MethodSource("scalars")
  void aValueIsReturnedUnchanged(Value value) throws Exception {
    types.check(value, "select " + value.sql());
    types.check(
        new Value(value.type(), "", null, "null"),
        "select case when random() < 0 then " + value.sql() + " end");
  }

  @ParameterizedTest
  @MethodSource("scalars")
  void anArrayContainsTheSameValuesAsSingleColumns(Value value) throws Exception {
    types.check(
        new Value(
            value.type(),
            value.sql(),
            Arrays.asList(value.java(), null),
            "[" + value.json() + ",null]"),
        "select array[" + value.sql() + ", null]");
  }

  @ParameterizedTest
  @MethodSource("others")
  void otherValuesAreReturnedUnchanged(Value value) throws Exception {
    types.check(value, "select " + value.sql());
  }

  @Test
  void everyTypeOfPostgresqlIsTested() throws Exception {
    Set<String> known = scalars().stream().map(Value::type).collect(Collectors.toSet());
    known.addAll(NOT_WRITABLE);
    List<String> all = new ArrayList<>();
    try (Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select typname from pg_type where typtype in ('b', 'r', 'm')"
                    + " and typnamespace = 'pg_catalog'::regnamespace"
                    + " and not (typcategory = 'A' and typlen = -1 and typsubscript ="
                    + " 'array_subscript_handler'::regproc and typname like '\\_%')")) {
      while (rows.next()) {
        all.add(rows.getString(1));
      }
    }
    assertThat(all).hasSizeGreaterThan(70);
    assertThat(new TreeSet<>(all)).isSubsetOf(known);
    String documented = ResultTypes.documented();
    assertThat(all).allSatisfy(type -> assertThat(documented).contains("`" + type + "`"));
  }
}
