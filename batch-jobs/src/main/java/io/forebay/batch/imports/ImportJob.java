/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.jobs.JobDescription;
import io.forebay.batch.jobs.JobDescription.Parameter;
import io.forebay.batch.jobs.JobDescription.Type;
import io.forebay.jdbc.http.CatalogueStatements;
import java.time.InstantSource;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.support.transaction.ResourcelessTransactionManager;

/**
 * Builds the job {@code import}.
 *
 * <p>Its parameters are checked by its first step and not by a validator: Spring Batch 6.0 keeps a
 * job instance without any execution of what a validator has refused, which can never be started
 * again, also when what was wrong is mended.
 */
final class ImportJob {

  static final String NAME = "import";

  static final JobDescription DESCRIPTION =
      JobDescription.of(NAME, "Hands each record of a file to a statement of the catalogue, once.")
          .with(
              Parameter.required(
                  ImportParameters.FILE,
                  Type.TEXT,
                  "Absolute path of a file in forebay.jobs.import.directory."))
          .with(
              Parameter.required(
                  ImportParameters.STATEMENT, Type.TEXT, "Its name in the catalogue."))
          .with(
              new Parameter(
                  "run",
                  Type.TEXT,
                  false,
                  true,
                  null,
                  "Any name, to import the same file once more."))
          .with(
              Parameter.optional(
                  ImportParameters.FORMAT,
                  Type.TEXT,
                  null,
                  "csv or ndjson; what the file's name ends with if it is not given."))
          .with(
              Parameter.optional(
                  ImportParameters.REJECTS,
                  Type.TEXT,
                  null,
                  "A new file in the same directory; one in the data directory if it is not given."))
          .with(
              Parameter.optional(
                  ImportParameters.WAIT,
                  Type.TEXT,
                  null,
                  "true: the job ends when all statements are performed, not when all are accepted."));

  private ImportJob() {}

  static Job create(
      JobRepository repository,
      CatalogueStatements statements,
      ImportSettings settings,
      InstantSource clock) {
    return new JobBuilder(NAME, repository)
        .start(new ImportStep(repository, statements, settings, clock))
        .next(
            new StepBuilder(AwaitResults.NAME, repository)
                .tasklet(
                    new AwaitResults(repository, statements, clock),
                    new ResourcelessTransactionManager())
                .build())
        .build();
  }
}
