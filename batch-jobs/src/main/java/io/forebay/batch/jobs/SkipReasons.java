/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.batch.core.job.AbstractJob;
import org.springframework.batch.core.listener.SkipListener;
import org.springframework.batch.core.scope.context.StepContext;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.item.ChunkOrientedStep;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Keeps why each step of the registered jobs skipped its last item, for {@link StepViews}. Spring
 * Batch itself keeps only how many it skipped. Partitions and jobs with a step of job scope are
 * left out.
 */
final class SkipReasons implements SmartInitializingSingleton {

  private static final Logger log = LoggerFactory.getLogger(SkipReasons.class);

  /** Key in a step's context: one line. */
  static final String LAST = "forebay.last-skip";

  private final JobRegistry registry;

  SkipReasons(JobRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : registry.getJobNames()) {
      if (registry.getJob(name) instanceof AbstractJob job) {
        listen(job);
      }
    }
  }

  private static void listen(AbstractJob job) {
    try {
      job.getStepNames().stream()
          .map(job::getStep)
          .forEach(step -> {
            if (step instanceof ChunkOrientedStep<?, ?> chunks) {
              chunks.registerSkipListener(new LastSkip());
            }
          });
    } catch (RuntimeException e) { // as of a step of job scope, which exists only in an execution
      log.debug("Why steps of job {} skip items is not kept", job.getName(), e);
    }
  }

  private static final class LastSkip implements SkipListener<Object, Object> {

    @Override
    public void onSkipInRead(Throwable failure) {
      keep(failure);
    }

    @Override
    public void onSkipInProcess(Object item, Throwable failure) {
      keep(failure);
    }

    @Override
    public void onSkipInWrite(Object item, Throwable failure) {
      keep(failure);
    }

    private static void keep(Throwable failure) {
      StepContext context = StepSynchronizationManager.getContext();
      if (context != null) {
        StepExecution step = context.getStepExecution();
        step.getExecutionContext().putString(LAST, FailureText.cause(failure));
      }
    }
  }
}
