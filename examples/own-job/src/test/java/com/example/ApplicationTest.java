/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.gateway.StatementClient;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(value = 600, unit = TimeUnit.SECONDS)
class ApplicationTest {

  @TempDir Path directory;

  @Test
  void everyArticleGetsItsPriceAndItsChangeOnceAndTheCallsTravelInChunks() throws Exception {
    try (ConfigurableApplicationContext application =
        run("2026-11-23")) {
      JobRepository repository = application.getBean(JobRepository.class);
      JobExecution execution =
          repository.getLastJobExecution(
              "reprice",
              new JobParametersBuilder()
                  .addLocalDate("day", LocalDate.of(2026, 11, 23))
                  .toJobParameters());
      assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
      Map<?, ?> calls =
          repository
              .getLastStepExecution(execution.getJobInstance(), "reprice")
              .getExecutionContext()
              .get("forebay.calls", Map.class);
      assertThat(calls.get("prices"))
          .asInstanceOf(MAP)
          .extractingByKey("chunks.ITEMS", LONG)
          .as("full chunks of 100; on a busy machine one may leave before it is full")
          .isBetween(10L, 20L);

      StatementClient client = application.getBean(StatementClient.class);
      Rows rows =
          client
              .executeQuery(
                  "select count(*) as changes, count(distinct c.article) as articles from price_change c"
                      + " join article a on a.id = c.article and a.price = c.price"
                      + " where a.price = a.cost * 1.2",
                  Row.class)
              .get();
      assertThat(rows.row(0).get("changes")).isEqualTo(2_000L);
      assertThat(rows.row(0).get("articles")).isEqualTo(2_000L);
    }
  }

  private ConfigurableApplicationContext run(String day) {
    return new SpringApplicationBuilder(Application.class)
        .run("--forebay.data=" + directory.resolve("data"), "--day=" + day);
  }

  @Test
  void aSecondRunForTheSameDayIsRefused() {
    run("2026-11-23").close();
    assertThatThrownBy(() -> run("2026-11-23")).hasStackTraceContaining("has already completed");
  }
}
