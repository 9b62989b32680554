/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.http.CatalogueStatements;
import java.time.InstantSource;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.InvalidJobParametersException;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.support.transaction.ResourcelessTransactionManager;

/** Builds the job {@code import}. */
final class ImportJob {

  static final String NAME = "import";

  private ImportJob() {}

  static Job create(
      JobRepository repository,
      CatalogueStatements statements,
      ImportSettings settings,
      InstantSource clock) {
    return new JobBuilder(NAME, repository)
        .validator(parameters -> validate(parameters, statements, settings))
        .start(new ImportStep(repository, statements, settings, clock))
        .next(
            new StepBuilder(AwaitResults.NAME, repository)
                .tasklet(
                    new AwaitResults(repository, statements, settings, clock),
                    new ResourcelessTransactionManager())
                .build())
        .build();
  }

  /** So that what cannot begin is refused at the start. */
  private static void validate(
      JobParameters parameters, CatalogueStatements statements, ImportSettings settings)
      throws InvalidJobParametersException {
    try {
      statements.get(ImportParameters.of(parameters, settings).statement());
    } catch (ImportRefused | IllegalArgumentException e) {
      throw new InvalidJobParametersException(String.valueOf(e.getMessage()));
    }
  }
}
