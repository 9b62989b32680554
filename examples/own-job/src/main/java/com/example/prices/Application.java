/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.prices;

import io.forebay.batch.jobs.JobDescription;
import io.forebay.batch.jobs.JobDescription.Parameter;
import io.forebay.batch.jobs.JobDescription.Type;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
class Application {

  /** The types of the parameters that the command line gives as text. */
  @Bean
  JobDescription repriceDescription() {
    return JobDescription.of("reprice", "Computes a new price for every article.")
        .with(Parameter.required("day", Type.DATE, "The day of the prices."));
  }

  /** Runs the job that the command line names, and ends with its exit code. */
  static void main(String[] args) {
    ConfigurableApplicationContext application = SpringApplication.run(Application.class, args);
    if (application.getEnvironment().containsProperty("forebay.jobs.run")) {
      System.exit(SpringApplication.exit(application));
    }
  }
}
