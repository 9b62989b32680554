/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.operations.StartRefused;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with exactly the dependencies of this starter. */
class BatchStarterTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class WithoutJob {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class WithJob {

    @Bean
    Job greet(JobRepository repository) {
      return new JobBuilder("greet", repository)
          .start(
              new StepBuilder("greet", repository).tasklet((_, _) -> RepeatStatus.FINISHED).build())
          .build();
    }
  }

  @TempDir Path directory;

  private ConfigurableApplicationContext start(Class<?> application, String... arguments) {
    return new SpringApplicationBuilder(application)
        .properties("forebay.data=" + directory.resolve("data"))
        .run(arguments);
  }

  @Test
  void withoutAJobThereIsNoDatabase() {
    try (ConfigurableApplicationContext application = start(WithoutJob.class)) {
      assertThat(application.getBeanProvider(DataSource.class)).isEmpty();
    }
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void aJobWithoutADatabaseIsRefusedWithTheStarterToAdd() {
    assertThatThrownBy(() -> start(WithJob.class))
        .rootCause()
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("add io.forebay:forebay-starter-hsqldb");
  }
}
