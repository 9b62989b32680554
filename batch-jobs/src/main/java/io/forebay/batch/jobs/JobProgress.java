/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * How a step tells how much there is to do, so that an operator sees how far it is and when it will
 * be done: in {@code beforeStep}, or when a reader is opened.
 *
 * <pre>{@code
 * JobProgress.total(stepExecution.getExecutionContext(), count, alreadyDone);
 * }</pre>
 */
public final class JobProgress {

  /** Under this key of a step's {@link ExecutionContext}: how many items there are, a long. */
  public static final String TOTAL = "forebay.total";

  /** Under this key: how many of these earlier executions did, a long. */
  public static final String BEFORE = "forebay.before";

  /**
   * Under this key of a step that counts bytes: how many of {@link #TOTAL} bytes are done, also by
   * earlier executions, a long.
   */
  public static final String DONE = "forebay.done";

  /** Under this key: what the step waits for, a sentence; there only while it waits. */
  public static final String WAITING = "forebay.waiting";

  private JobProgress() {}

  /**
   * Tells it of a step that begins anew, or that counts only what is left.
   *
   * @param items that this execution of the step will read
   */
  public static void total(StepExecution step, long items) {
    total(step.getExecutionContext(), items, 0);
  }

  /**
   * Tells it of a step that goes on where an earlier execution ended.
   *
   * @param items that there are in all
   * @param before how many of these were read by executions before this one
   */
  public static void total(ExecutionContext context, long items, long before) {
    context.putLong(TOTAL, items);
    context.putLong(BEFORE, before);
  }
}
