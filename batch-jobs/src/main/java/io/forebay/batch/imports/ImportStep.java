/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.RestartContext;
import io.forebay.jdbc.catalogue.CatalogueStatements;
import java.time.InstantSource;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.StepBuilder;

/**
 * The step that reads a file and hands over its statements. Each execution creates its own
 * chunk-oriented step, so that imports can run concurrently. Thread-safe.
 *
 * <p>Its chunks are not transactions: their effects are on disk when the position is stored, and
 * waiting for a queue must not hold a connection.
 */
final class ImportStep implements Step {

  static final String NAME = "import";

  private final JobRepository repository;
  private final CatalogueStatements statements;
  private final ImportSettings settings;
  private final InstantSource clock;

  ImportStep(
      JobRepository repository,
      CatalogueStatements statements,
      ImportSettings settings,
      InstantSource clock) {
    this.repository = repository;
    this.statements = statements;
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public void execute(StepExecution execution) throws JobInterruptedException {
    ImportRun run = new ImportRun(repository, statements, settings, clock, execution);
    new StepBuilder(NAME, repository)
            .<ImportRecord, ImportRecord>chunk(settings.chunk())
            .reader(run::read)
            .processor(run::process)
            .writer(run::write)
            .stream(run)
            .listener(new RestartContext(repository))
            .listener(run)
            .build()
            .execute(execution);
  }
}
