/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.database.Migrations;
import io.forebay.database.TestPostgres;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TimeZone;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** The times of executions, which Spring Batch handles in the time zone of the process. */
class JobTimesTest {

  private final TimeZone usual = TimeZone.getDefault();

  @AfterEach
  void restore() {
    TimeZone.setDefault(usual);
  }

  @Test
  void processesInOtherTimeZonesSeeTheSameTimes() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      DataSource database = postgres.owner();
      Migrations.run(database, "forebay_gateway");
      JobRepository repository =
          new TestRepository(database, new JdbcTransactionManager(database), Duration.ofHours(96))
              .repository();

      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
      JobParameters none = new JobParameters();
      JobExecution failed =
          repository.createJobExecution(
              repository.createJobInstance("job", none), none, new ExecutionContext());
      failed.setStatus(BatchStatus.FAILED);
      failed.setEndTime(LocalDateTime.now());
      repository.update(failed);

      TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
      Instant now = Instant.now();
      JobExecution read = repository.getJobExecution(failed.getId());
      assertThat(ExecutionViews.time(read.getEndTime()))
          .isCloseTo(now, within(5, ChronoUnit.MINUTES));
      ExecutionTable table = new ExecutionTable(JdbcClient.create(database));
      assertThat(table.failed(List.of("job"), now.minusSeconds(300), 10)).hasSize(1);
      assertThat(table.failed(List.of("job"), now.plusSeconds(300), 10)).isEmpty();
    }
  }
}
