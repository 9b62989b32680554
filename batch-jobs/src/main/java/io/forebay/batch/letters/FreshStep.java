/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.letters;

import java.util.function.Supplier;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;

/**
 * A step that is created for each execution: a reader has a position, so concurrent executions must
 * not share one.
 */
record FreshStep(String name, Supplier<Step> steps) implements Step {

  @Override
  public String getName() {
    return name;
  }

  @Override
  public void execute(StepExecution execution) throws JobInterruptedException {
    steps.get().execute(execution);
  }
}
