/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * How a step reports the amount of work, so that operators see its progress and when it will end.
 * Call it in {@code beforeStep}, or when a reader is opened.
 *
 * <pre>{@code
 * JobProgress.total(stepExecution.getExecutionContext(), count, alreadyDone);
 * }</pre>
 */
public final class JobProgress {

  /** Key in a step's {@link ExecutionContext}: the total number of items, a long. */
  public static final String TOTAL = "forebay.total";

  /** Key: how many of these items earlier executions processed, a long. */
  public static final String BEFORE = "forebay.before";

  /**
   * Key, only of a step that counts bytes: how many of {@link #TOTAL} bytes are done, including
   * earlier executions, a long.
   */
  public static final String DONE = "forebay.done";

  /** Key: what the step waits for, a sentence; present only while it waits. */
  public static final String WAITING = "forebay.waiting";

  private JobProgress() {}

  /**
   * Reports the total of a step that starts from the beginning or counts only the remaining items.
   *
   * @param items the number of items this execution will read
   */
  public static void total(StepExecution step, long items) {
    total(step.getExecutionContext(), items, 0);
  }

  /**
   * Reports the total of a step that resumes where an earlier execution ended.
   *
   * @param items the total number of items
   * @param before how many of these earlier executions read
   */
  public static void total(ExecutionContext context, long items, long before) {
    context.putLong(TOTAL, items);
    context.putLong(BEFORE, before);
  }
}
