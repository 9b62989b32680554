/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.util.function.Function;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;

/**
 * A step that is created for each execution: a reader has a position, so concurrent executions must
 * not share one. Thread-safe if its function is.
 */
public record FreshStep(String name, Function<StepExecution, Step> steps) implements Step {

  @Override
  public String getName() {
    return name;
  }

  @Override
  public void execute(StepExecution execution) throws JobInterruptedException {
    steps.apply(execution).execute(execution);
  }
}
