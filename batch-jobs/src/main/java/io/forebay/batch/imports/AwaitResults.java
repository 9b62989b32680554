/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.call.Message;
import io.forebay.jdbc.catalogue.CatalogueStatements;
import io.forebay.jdbc.catalogue.NamedStatement;
import io.forebay.jdbc.ledger.ResultCounts;
import io.forebay.service.progress.Unavailable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.scope.context.ChunkContext;
import org.springframework.batch.core.step.StepContribution;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.tasklet.Tasklet;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;

/**
 * The last step of an import: renames the file of rejects and reports how many statements were
 * accepted. If the job is to wait, it waits until all are performed and reports their results. The
 * imported file may already be deleted. Thread-safe.
 */
final class AwaitResults implements Tasklet {

  static final String NAME = "results";

  private static final int LINES_AT_ONCE = 5_000;
  private static final Duration SHORTEST = Duration.ofMillis(200);
  private static final int PAUSE_FACTOR = 5;

  private final JobRepository repository;
  private final CatalogueStatements statements;
  private final InstantSource clock;

  AwaitResults(JobRepository repository, CatalogueStatements statements, InstantSource clock) {
    this.repository = repository;
    this.statements = statements;
    this.clock = clock;
  }

  @Override
  public RepeatStatus execute(StepContribution contribution, ChunkContext context)
      throws JobInterruptedException, IOException {
    StepExecution step = contribution.getStepExecution();
    ImportState state =
        Objects.requireNonNull(
            ImportState.completed(repository, step), "the previous step left no state");
    JobParameters parameters = step.getJobExecution().getJobParameters();
    Path rejects = state.publish(step.getJobExecution().getJobInstance().getInstanceId());
    String results =
        ImportParameters.awaitResults(parameters)
            ? results(step, state, statements.get(ImportParameters.statement(parameters)))
            : "their results are not awaited";
    contribution.setExitStatus(
        ExitStatus.COMPLETED.addExitDescription(state.figures(rejects) + "; " + results));
    return RepeatStatus.FINISHED;
  }

  private String results(StepExecution step, ImportState state, NamedStatement statement)
      throws JobInterruptedException {
    StepWait waiting = new StepWait(repository, step);
    String client = state.client(step.getJobExecution().getJobInstance().getInstanceId());
    while (true) {
      long began = System.nanoTime();
      ResultCounts counts = ResultCounts.NONE;
      String reason;
      try {
        counts = count(client, state.line, statement, waiting);
        if (counts.total() >= state.accepted || areForgotten(state, statement)) {
          waiting.over();
          return words(counts, state.accepted);
        }
        reason = "%,d of %,d statements are performed".formatted(counts.total(), state.accepted);
      } catch (Unavailable e) {
        reason = "the results cannot be counted: " + e.getMessage();
      }
      Duration pause = Duration.ofNanos(System.nanoTime() - began).multipliedBy(PAUSE_FACTOR);
      waiting.await(pause.compareTo(SHORTEST) < 0 ? SHORTEST : pause, reason);
    }
  }

  /**
   * Counts results. A statement's key is the line of its record, and most lines have one, so every
   * line is tried.
   */
  private static ResultCounts count(
      String client, long endLine, NamedStatement statement, StepWait waiting)
      throws JobInterruptedException {
    ResultCounts counts = ResultCounts.NONE;
    for (long line = 1; line <= endLine; line += LINES_AT_ONCE) {
      List<UUID> ids =
          LongStream.range(line, line + LINES_AT_ONCE)
              .mapToObj(each -> Message.keyedId(client, Long.toString(each)))
              .toList();
      counts = counts.plus(statement.count(ids));
      waiting.mustGoOn();
    }
    return counts;
  }

  /** Idempotency keys expire after that time, so missing statements may have been performed. */
  private boolean areForgotten(ImportState state, NamedStatement statement) {
    return clock.millis() - state.committedMillis > statement.resultsKept().toMillis();
  }

  private static String words(ResultCounts counts, long accepted) {
    String failed =
        new TreeMap<>(counts.failed())
            .entrySet().stream()
                .map(each ->
                    "%s %,d"
                        .formatted(each.getKey().name().toLowerCase(Locale.ROOT), each.getValue()))
                .collect(Collectors.joining(", "));
    long unknown = accepted - counts.total();
    return "%,d took effect, %,d failed%s%s"
        .formatted(
            counts.done(),
            counts.total() - counts.done(),
            failed.isEmpty() ? "" : " (" + failed + ")",
            unknown > 0 ? ", %,d unknown".formatted(unknown) : "");
  }
}
