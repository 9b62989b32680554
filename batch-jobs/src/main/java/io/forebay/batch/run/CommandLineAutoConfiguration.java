/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.run;

import io.forebay.batch.jobs.Jobs;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Runs one job if {@code forebay.jobs.run} names it. */
@AutoConfiguration(afterName = "io.forebay.batch.jobs.JobsAutoConfiguration")
@ConditionalOnClass(ApplicationRunner.class)
@ConditionalOnProperty("forebay.jobs.run")
class CommandLineAutoConfiguration {

  @Bean
  CommandLineRun forebayCommandLineRun(
      ObjectProvider<Jobs> jobs, @Value("${forebay.jobs.run}") String job) {
    return new CommandLineRun(jobs.getIfAvailable(), job);
  }
}
