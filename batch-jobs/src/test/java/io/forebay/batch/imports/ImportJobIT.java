/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.batch.KilledProcess;
import io.forebay.database.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

class ImportJobIT {

  @TempDir Path directory;

  @Test
  void eachRecordHasOneRowOrOneRejectHoweverOftenTheProcessIsKilled() throws Exception {
    ImportFile file = new ImportFile(50_000);
    file.write(directory.resolve("items.csv"));
    try (TestPostgres postgres = TestPostgres.shared()) {
      postgres.createTable("create table item (id bigint, name text, price numeric)");
      new ResourceDatabasePopulator(
              new ClassPathResource("org/springframework/batch/core/schema-postgresql.sql"))
          .execute(postgres.owner());
      JdbcTemplate sql = new JdbcTemplate(postgres.owner());
      KilledProcess process =
          new KilledProcess(
              () ->
                  sql.queryForObject(
                      "select coalesce(sum(commit_count), 0) from batch_step_execution",
                      Long.class),
              ImportProcess.class,
              postgres.url(),
              directory,
              "items.csv",
              200);

      String end = process.run(4, 700, new Random(20261122));

      assertThat(end)
          .startsWith("COMPLETED 49,700 statements accepted, 300 records rejected")
          .contains("49,700 took effect, 0 failed");
      assertThat(process.kills()).isGreaterThanOrEqualTo(3);
      assertThat(
              sql.queryForObject(
                  "select count(*) from batch_step_execution where commit_count > 0 and status = 'FAILED'",
                  Integer.class))
          .as("executions that were killed at work")
          .isPositive();
      assertThat(
              sql.queryForList(
                  "select id || '|' || name || '|' || coalesce(price::text, 'null') from item order by id",
                  String.class))
          .isEqualTo(file.rows());
      assertThat(Files.readString(directory.resolve("rejects.csv"))).isEqualTo(file.rejects());
    }
  }
}
