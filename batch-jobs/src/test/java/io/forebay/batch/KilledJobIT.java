/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

@Tag("proof")
class KilledJobIT {

  @TempDir Path directory;

  @Test
  void eachItemTakesEffectAndIsWrittenOnceHoweverOftenTheProcessIsKilled() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      postgres.createTable("create table reserved (item bigint)");
      postgres.createTable("create table named (item bigint, name text)");
      postgres.createTable("create table name (item bigint primary key, name text)");
      postgres.createTable("create table written (item bigint, name text)");
      JdbcTemplate sql = new JdbcTemplate(postgres.owner());
      sql.update(
          "insert into name select n, 'name ' || n from generate_series(1, ?) n",
          CallingProcess.ITEMS);
      KilledProcess process =
          new KilledProcess(
              () -> sql.queryForObject("select count(*) from written", Long.class),
              CallingProcess.class,
              postgres.url(),
              directory);

      String end = process.run(3, 700, new Random(4711));

      assertThat(end).isEqualTo("COMPLETED");
      assertThat(process.kills()).isGreaterThanOrEqualTo(2);
      List<String> items =
          IntStream.rangeClosed(1, CallingProcess.ITEMS).mapToObj(Integer::toString).toList();
      List<String> named = items.stream().map(item -> item + " name " + item).toList();
      assertThat(
              sql.queryForList(
                  "select item::text as text from reserved order by item", String.class))
          .isEqualTo(items);
      assertThat(
              sql.queryForList("select item || ' ' || name from named order by item", String.class))
          .isEqualTo(named);
      assertThat(
              sql.queryForList(
                  "select item || ' ' || name from written order by item", String.class))
          .isEqualTo(named);
    }
  }
}
