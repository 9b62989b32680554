/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.letters;

import io.forebay.batch.jobs.JobDescription;
import io.forebay.chunk.ChunkedService;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.flow.FlowExecutionStatus;
import org.springframework.batch.core.job.flow.JobExecutionDecider;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;

/**
 * The job premium-letters: creates the data, then calls the services in the way its parameter
 * selects.
 */
final class LettersJob {

  static final String NAME = "premium-letters";

  static final JobDescription DESCRIPTION =
      JobDescription.of(
              NAME,
              "Writes a letter for each contract, with customers and addresses from services.")
          .with(
              JobDescription.Parameter.required(
                  "run", JobDescription.Type.TEXT, "Any name; each name is a separate run."))
          .with(
              JobDescription.Parameter.optional(
                  Access.PARAMETER,
                  JobDescription.Type.TEXT,
                  Access.DEFAULT.word(),
                  "How the services are called: " + words() + "."));

  /** The two services with one kind of access. */
  record Services(
      ChunkedService<Long, @Nullable Customer> customers,
      ChunkedService<Long, @Nullable Address> addresses) {}

  private final JobRepository repository;

  LettersJob(JobRepository repository) {
    this.repository = repository;
  }

  Job job(
      Step prepare, PremiumLetters letters, SingleCalls single, Services http, Services queues) {
    JobExecutionDecider way =
        (execution, _) -> new FlowExecutionStatus(access(execution.getJobParameters()));
    return new JobBuilder(NAME, repository)
        .start(prepare)
        .next(way)
        .on(Access.DIRECT_SQL.word())
        .to(letters.direct(Access.DIRECT_SQL.word()))
        .from(way)
        .on(Access.INDIVIDUAL_REST.word())
        .to(letters.individual(Access.INDIVIDUAL_REST.word(), single))
        .from(way)
        .on(Access.CHUNKED_REST.word())
        .to(chunked(letters, Access.CHUNKED_REST, http))
        .from(way)
        .on(Access.CHUNKED_QUEUE.word())
        .to(chunked(letters, Access.CHUNKED_QUEUE, queues))
        .end()
        .build();
  }

  /** Creates missing tables and rows, without a transaction: on HSQLDB a grant waits for all. */
  Step prepare(LetterTables tables, int contracts) {
    return new StepBuilder("prepare", repository)
        .tasklet((contribution, _) -> {
          check(contribution.getStepExecution().getJobExecution().getJobParameters());
          tables.prepare(contracts);
          return RepeatStatus.FINISHED;
        })
        .build();
  }

  private static Step chunked(PremiumLetters letters, Access access, Services services) {
    return letters.chunked(access.word(), services.customers(), services.addresses());
  }

  private static String access(@Nullable JobParameters parameters) {
    String given = parameters == null ? null : parameters.getString(Access.PARAMETER);
    return given == null ? Access.DEFAULT.word() : given;
  }

  /**
   * Checks the parameters. Not in a validator: an instance that a validator refuses can never be
   * started, in Spring Batch 6.0.
   */
  private static void check(@Nullable JobParameters parameters) {
    String access = access(parameters);
    if (Access.of(access).isEmpty()) {
      throw new IllegalArgumentException(
          "%s=%s is unknown; %s are allowed".formatted(Access.PARAMETER, access, words()));
    }
  }

  private static String words() {
    return String.join(", ", Arrays.stream(Access.values()).map(Access::word).toList());
  }
}
