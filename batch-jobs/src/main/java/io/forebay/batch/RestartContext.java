/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.util.Optional;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;

/**
 * Keeps where a step stands, however soon after a restart the process is killed again. Spring Batch
 * 6.0 gives the new step execution the execution context of the one before it in memory only, and
 * writes it with the first chunk: a process that dies before that leaves an execution without one,
 * and the next restart begins the step anew. A step that has this as its listener finds the last
 * context that was written, and writes it before its streams are opened.
 *
 * <pre>{@code
 * new StepBuilder("letters", repository).<Contract, Letter>chunk(5_000)
 *     …
 *     .listener(new RestartContext(repository))
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class RestartContext implements StepExecutionListener {

  /** Stands in every context that was written. */
  private static final String KEPT = "forebay.kept";

  private final JobRepository repository;

  public RestartContext(JobRepository repository) {
    this.repository = repository;
  }

  @Override
  public void beforeStep(StepExecution step) {
    if (!step.getExecutionContext().containsKey(KEPT)) {
      last(step)
          .ifPresent(last ->
              last.getExecutionContext()
                  .entrySet()
                  .forEach(
                      entry -> step.getExecutionContext().put(entry.getKey(), entry.getValue())));
      step.getExecutionContext().put(KEPT, true);
    }
    repository.updateExecutionContext(step);
  }

  /** The last execution of the step that has a context, unless the step was completed since. */
  private Optional<StepExecution> last(StepExecution step) {
    for (JobExecution job : repository.getJobExecutions(step.getJobExecution().getJobInstance())) {
      for (StepExecution earlier : job.getStepExecutions()) {
        if (!earlier.getStepName().equals(step.getStepName()) || earlier.getId() == step.getId()) {
          continue;
        }
        if (earlier.getStatus() == BatchStatus.COMPLETED) {
          return Optional.empty();
        }
        if (earlier.getExecutionContext().containsKey(KEPT)) {
          return Optional.of(earlier);
        }
      }
    }
    return Optional.empty();
  }
}
