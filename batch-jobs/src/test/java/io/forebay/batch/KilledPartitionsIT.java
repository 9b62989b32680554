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
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

@Tag("proof")
class KilledPartitionsIT {

  private static final int EACH = PartitionedProcess.EACH;

  @TempDir Path directory;

  @Test
  @Timeout(600)
  void concurrentStepsAndPartitionsWriteEachItemOnceAndInOrderHoweverOftenTheProcessIsKilled() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      postgres.createTable("create table asked (call_key text primary key, item bigint)");
      postgres.createTable(
          "create table written (seq bigint generated always as identity, step text, item bigint, name text)");
      JdbcTemplate sql = new JdbcTemplate(postgres.owner());
      KilledProcess process =
          new KilledProcess(
              () -> sql.queryForObject("select count(*) from written", Long.class),
              PartitionedProcess.class,
              "--forebay.data=" + directory,
              "--forebay.backend=memory",
              "--forebay.jobs.recover=none",
              "--forebay.system.datasource.url=" + postgres.url(),
              "--forebay.system.datasource.username=forebay_gateway",
              "--forebay.system.datasource.password=",
              "--forebay.system.owner.url=" + postgres.url(),
              "--forebay.system.owner.username=forebay_owner",
              "--forebay.system.owner.password=");

      String end = process.run(3, 400, new Random(4712));

      assertThat(end).startsWith("exitCode=COMPLETED");
      assertThat(process.kills()).isGreaterThanOrEqualTo(2);
      assertThat(items(sql, "concurrent")).isEqualTo(range(0));
      for (int i = 1; i <= PartitionedProcess.PARTITIONS; i++) {
        assertThat(items(sql, "part:part" + i)).isEqualTo(range(i));
      }
      assertThat(sql.queryForList("select item from asked order by item", Long.class))
          .as("each item has one key, in all executions")
          .isEqualTo(
              LongStream.rangeClosed(1, EACH * (PartitionedProcess.PARTITIONS + 1L))
                  .boxed()
                  .toList());
    }
  }

  /** The items that a step wrote, in the order in which it wrote them. */
  private static List<Long> items(JdbcTemplate sql, String step) {
    return sql.queryForList(
        "select item from written where step = ? order by seq", Long.class, step);
  }

  private static List<Long> range(int part) {
    return LongStream.rangeClosed(1, EACH).mapToObj(number -> number + (long) part * EACH).toList();
  }
}
