/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

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
                    new AwaitResults(repository, statements, settings, clock),
                    new ResourcelessTransactionManager())
                .build())
        .build();
  }
}
