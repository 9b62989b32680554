/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.step.StepExecution;

/**
 * Another process took over this execution, because this process had lost its {@link ProcessLock}
 * and seemed dead. This process can no longer write to it; the transaction that fails with this
 * exception is rolled back.
 *
 * <p>Its cause tells Spring Batch that the step was interrupted, and did not fail.
 */
final class JobTakenOver extends RuntimeException {

  private static final long serialVersionUID = 1;

  JobTakenOver(long execution) {
    this(
        ("execution %d no longer belongs to this process; it ends here, and the process that took"
                + " it over continues it")
            .formatted(execution));
  }

  private JobTakenOver(String message) {
    super(message, new JobInterruptedException(message));
  }

  /** Why a step ended in this process, if it was taken over; null if it was not. */
  static @Nullable JobTakenOver in(StepExecution step) {
    for (Throwable failure : step.getFailureExceptions()) {
      if (failure instanceof JobTakenOver takenOver) {
        return takenOver;
      }
    }
    return null;
  }
}
