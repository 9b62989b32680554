/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.FreshStep;
import io.forebay.batch.RestartContext;
import io.forebay.batch.jobs.JobDescription;
import io.forebay.batch.jobs.JobDescription.Parameter;
import io.forebay.batch.jobs.JobDescription.Type;
import io.forebay.jdbc.catalogue.CatalogueStatements;
import java.time.InstantSource;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.support.transaction.ResourcelessTransactionManager;

/**
 * Builds the job {@code import}.
 *
 * <p>The first step checks the parameters, not a validator: if a validator refuses them, Spring
 * Batch 6.0 keeps a job instance without an execution, which can never be started, even after the
 * cause is fixed.
 */
final class ImportJob {

  static final String NAME = "import";

  /** The step that reads the file. */
  static final String STEP = "import";

  static final JobDescription DESCRIPTION =
      JobDescription.of(
              NAME, "Performs a statement of the catalogue once for each record of a file.")
          .with(
              Parameter.required(
                  ImportParameters.FILE,
                  Type.TEXT,
                  "Absolute path of a file in forebay.jobs.import.directory."))
          .with(
              Parameter.required(
                  ImportParameters.STATEMENT, Type.TEXT, "Name of the statement in the catalogue."))
          .with(
              new Parameter(
                  "run",
                  Type.TEXT,
                  false,
                  true,
                  null,
                  "Any name; set it to import the same file again."))
          .with(
              Parameter.optional(
                  ImportParameters.FORMAT,
                  Type.TEXT,
                  null,
                  "csv or ndjson; by default the file name's extension."))
          .with(
              Parameter.optional(
                  ImportParameters.REJECTS,
                  Type.TEXT,
                  null,
                  "Path of a new file in the same directory for rejected records; by default a file in the data directory."))
          .with(
              Parameter.optional(
                  ImportParameters.WAIT,
                  Type.TEXT,
                  null,
                  "true: the job ends when all statements are performed, not already when they are accepted."))
          .performing(ImportParameters.STATEMENT);

  private ImportJob() {}

  static Job create(
      JobRepository repository,
      CatalogueStatements statements,
      ImportSettings settings,
      Admission admission,
      InstantSource clock) {
    return new JobBuilder(NAME, repository)
        .start(
            new FreshStep(
                STEP,
                step ->
                    reading(
                        repository,
                        settings,
                        new ImportRun(repository, statements, settings, admission, clock, step))))
        .next(
            new StepBuilder(AwaitResults.NAME, repository)
                .tasklet(
                    new AwaitResults(repository, statements, clock),
                    new ResourcelessTransactionManager())
                .build())
        .build();
  }

  /**
   * The step that reads a file and hands over its statements. Its chunks are not transactions:
   * their effects are on disk when the position is stored, and waiting for a queue must not hold a
   * connection.
   */
  private static Step reading(JobRepository repository, ImportSettings settings, ImportRun run) {
    return new StepBuilder(STEP, repository)
            .<ImportRecord, ImportRecord>chunk(settings.chunk())
            .reader(run::read)
            .processor(run::process)
            .writer(run::write)
            .stream(run)
            .listener(new RestartContext(repository))
            .listener(run)
            .build();
  }
}
