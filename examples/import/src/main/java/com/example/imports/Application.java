/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.imports;

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

  /** Imports the file that the command line names, as in {@code --file=/data/orders.csv}. */
  @Bean
  @ConditionalOnProperty("file")
  ApplicationRunner importOnce(Jobs jobs, @Value("${file}") String file) {
    return _ -> {
      BatchStatus status = jobs.runAndWait("import", Map.of("file", file)).getStatus();
      if (status != BatchStatus.COMPLETED) {
        throw new IllegalStateException("The import is " + status + "; the same command resumes it.");
      }
    };
  }

  static void main(String[] args) {
    System.exit(SpringApplication.exit(SpringApplication.run(Application.class, args)));
  }
}
