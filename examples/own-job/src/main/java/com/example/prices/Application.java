/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.prices;

import java.time.LocalDate;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
class Application {

  static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  /** Runs today's job, and waits for its end: a job runs on a thread of its own. */
  @Bean
  ApplicationRunner today(JobOperator operator, JobRepository repository, Job repriceJob) {
    return _ -> {
      JobParameters today =
          new JobParametersBuilder().addLocalDate("day", LocalDate.now()).toJobParameters();
      try {
        JobExecution execution = operator.start(repriceJob, today);
        while (execution.isRunning()) {
          Thread.sleep(50);
          execution = repository.getJobExecution(execution.getId());
        }
        System.out.println(execution.getStatus());
        execution.getStepExecutions().forEach(step -> System.out.println(step.getSummary()));
      } catch (JobInstanceAlreadyCompleteException e) {
        System.out.println("Today's prices are there already.");
      }
    };
  }
}
