/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example;

import io.forebay.batch.jobs.JobDescription;
import io.forebay.batch.jobs.JobDescription.Parameter;
import io.forebay.batch.jobs.JobDescription.Type;
import io.forebay.batch.jobs.Jobs;
import java.util.Map;
import org.springframework.batch.core.BatchStatus;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
class Application {

  /** The types of the parameters that the command line gives as text. */
  @Bean
  JobDescription repriceDescription() {
    return JobDescription.of("reprice", "Computes a new price for every article.")
        .with(Parameter.required("day", Type.DATE, "The day of the prices."));
  }

  /** Runs the job for the day that the command line names, as in {@code --day=2026-11-23}. */
  @Bean
  @ConditionalOnProperty("day")
  ApplicationRunner repriceOnce(Jobs jobs, @Value("${day}") String day) {
    return _ -> run(jobs, "reprice", Map.of("day", day));
  }

  /** Imports the file that the command line names, as in {@code --file=/data/orders.csv}. */
  @Bean
  @ConditionalOnProperty("file")
  ApplicationRunner importOnce(Jobs jobs, @Value("${file}") String file) {
    return _ -> run(jobs, "import", Map.of("file", file));
  }

  private static void run(Jobs jobs, String job, Map<String, String> parameters) throws Exception {
    BatchStatus status = jobs.runAndWait(job, parameters).getStatus();
    if (status != BatchStatus.COMPLETED) {
      throw new IllegalStateException("The job is " + status + "; the same command resumes it.");
    }
  }

  /** Ends with exit code 0 if the job is complete, and with 1 if an exception ended it. */
  static void main(String[] args) {
    System.exit(SpringApplication.exit(SpringApplication.run(Application.class, args)));
  }
}
