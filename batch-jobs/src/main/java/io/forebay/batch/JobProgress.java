/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * How a step reports the amount of work, so that operators see its progress, when it will end, and
 * which service it feeds. Call it in {@code beforeStep}, when a reader is opened, or in the {@code
 * Partitioner} of a step.
 *
 * <pre>{@code
 * JobProgress.total(stepExecution, count);
 * }</pre>
 *
 * Forebay adds what the step's earlier executions read.
 */
public final class JobProgress {

  /**
   * Key in a step's {@link ExecutionContext}: the total number of items, a long. That of a step
   * with partitions is the sum of theirs, unless it reports one.
   */
  public static final String TOTAL = "forebay.total";

  /**
   * Key, set by the job repository of Forebay in the transaction of each chunk: the items that this
   * execution read in committed chunks, a long. Spring Batch's count has those of a failed chunk
   * too.
   */
  public static final String READ = "forebay.read";

  /**
   * Key, set by the job repository of Forebay when the step begins: the items that its earlier
   * executions read, a long.
   */
  public static final String EARLIER = "forebay.read-earlier";

  /** Key: the service to whose queue the step appends, its name. */
  public static final String FEEDS = "forebay.feeds";

  /** Key, only of a step with partitions: their contexts, by name. */
  public static final String PARTITIONS = "forebay.partitions";

  /** Key, only of a partition: the name of the step that was divided. */
  public static final String PARTITION_OF = "forebay.partition-of";

  /** Key, set by a {@link ChunkingItemProcessor}: figures of its calls, a map for each service. */
  public static final String CALLS = "forebay.calls";

  private JobProgress() {}

  /**
   * Reports the total.
   *
   * @param items the number of items that all executions of the step together will read
   */
  public static void total(StepExecution step, long items) {
    total(step.getExecutionContext(), items);
  }

  /** Like the other method, for the context that a {@code Partitioner} makes for a partition. */
  public static void total(ExecutionContext context, long items) {
    context.putLong(TOTAL, items);
  }

  /**
   * Reports that the step appends its items to the queue of a service, so that operators see how
   * far that service is behind. Calls in chunks are reported without it.
   *
   * @param service its name
   */
  public static void feeds(ExecutionContext context, String service) {
    context.putString(FEEDS, service);
  }

  /**
   * Reports the total of a step that knows how much is done, for example from the position of its
   * reader.
   *
   * @param items the total number of items
   * @param before how many of these are done now
   */
  public static void total(ExecutionContext context, long items, long before) {
    context.putLong(TOTAL, items);
    context.putLong(EARLIER, before);
  }
}
