/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.prices;

import java.time.LocalDate;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.stereotype.Component;

/** Runs today's job and waits for its end, since a job runs on its own thread. */
@Component
class Today implements ApplicationRunner, ExitCodeGenerator {

  private final JobOperator operator;
  private final JobRepository repository;
  private final Job repriceJob;
  private volatile boolean failed;

  Today(JobOperator operator, JobRepository repository, Job repriceJob) {
    this.operator = operator;
    this.repository = repository;
    this.repriceJob = repriceJob;
  }

  @Override
  public void run(ApplicationArguments arguments) throws Exception {
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
      failed = execution.getStatus() != BatchStatus.COMPLETED;
    } catch (JobInstanceAlreadyCompleteException e) {
      System.out.println("Today's prices are already computed.");
    }
  }

  /** Tells a scheduler whether the job succeeded. */
  @Override
  public int getExitCode() {
    return failed ? 1 : 0;
  }
}
