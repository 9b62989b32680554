/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.NoSuchStepException;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * Keeps the position of a step even if the process is killed soon after a restart. Spring Batch 6.0
 * copies the execution context of the previous step execution to the new one in memory only, and
 * writes it with the first chunk. A process that dies before that leaves an execution without a
 * context, and the next restart runs the step from the beginning. With this listener, a step finds
 * the last written context and writes it before its streams are opened.
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

  /**
   * Stored in every written context: a random text, the same in all executions of the step of a job
   * instance.
   */
  static final String KEPT = "forebay.kept";

  /**
   * When the step last committed, or first began, in milliseconds: no key of the chunk that a
   * restart repeats is older.
   */
  static final String KEYS_SINCE = "forebay.keys-since";

  /** How long services remember keys, in milliseconds. */
  static final String KEYS_KEPT = "forebay.keys-kept";

  /** How long a gateway remembers keys that keeps results for 72 h. */
  static final Duration DEFAULT_KEYS_KEPT = Duration.ofHours(96);

  private static final int KEPT_CHARACTERS = 8;

  private final JobRepository repository;
  private final Duration keysKept;

  /** For services that remember idempotency keys for 96 h. */
  public RestartContext(JobRepository repository) {
    this(repository, DEFAULT_KEYS_KEPT);
  }

  /**
   * @param keysKept how long the services that the step calls remember idempotency keys
   */
  public RestartContext(JobRepository repository, Duration keysKept) {
    this.repository = repository;
    this.keysKept = keysKept;
  }

  @Override
  public void beforeStep(StepExecution step) {
    ExecutionContext context = step.getExecutionContext();
    if (!context.containsKey(KEPT)) {
      List<StepExecution> earlier = earlier(step);
      last(earlier)
          .ifPresent(last ->
              last.getExecutionContext()
                  .entrySet()
                  .forEach(entry -> context.put(entry.getKey(), entry.getValue())));
      context.put(KEPT, kept(earlier));
    }
    if (!context.containsKey(KEYS_SINCE)) {
      context.putLong(KEYS_SINCE, System.currentTimeMillis());
    }
    context.putLong(KEYS_KEPT, keysKept.toMillis());
    boolean whole = context.containsKey(JobProgress.PARTITIONS);
    context.putLong(JobProgress.EARLIER, whole ? readByPartitions(step) : readSoFar(step));
    context.putLong(JobProgress.READ, 0);
    context.entrySet().stream()
        .map(Map.Entry::getKey)
        .filter(key -> key.startsWith(StepFigures.PREFIX))
        .toList()
        .forEach(context::remove);
    repository.updateExecutionContext(step);
  }

  /** What the step has read, according to its context: in all executions before this one. */
  private static long readSoFar(StepExecution step) {
    ExecutionContext context = step.getExecutionContext();
    return context.getLong(JobProgress.EARLIER, 0) + context.getLong(JobProgress.READ, 0);
  }

  /** What the partitions of a step have read in all executions before this one. */
  private long readByPartitions(StepExecution whole) {
    Map<String, Long> read = new HashMap<>();
    for (JobExecution job : executions(whole)) {
      Collection<StepExecution> steps = job.getStepExecutions();
      if (steps.stream()
          .anyMatch(it ->
              it.getStepName().equals(whole.getStepName())
                  && it.getStatus() == BatchStatus.COMPLETED)) {
        break; // this execution starts over
      }
      steps.stream()
          .filter(it -> it.getExecutionContext().containsKey(KEPT))
          .filter(it ->
              whole.getStepName().equals(it.getExecutionContext().get(JobProgress.PARTITION_OF)))
          .forEach(it -> read.putIfAbsent(it.getStepName(), readSoFar(it)));
    }
    return read.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The earlier executions of this step, newest first. */
  private List<StepExecution> earlier(StepExecution step) {
    return executions(step).stream()
        .flatMap(job -> job.getStepExecutions().stream())
        .filter(it -> it.getStepName().equals(step.getStepName()) && it.getId() != step.getId())
        .toList();
  }

  /** The executions of its job instance, newest first; empty if the step is executed first now. */
  private List<JobExecution> executions(StepExecution step) {
    JobInstance instance = step.getJobExecution().getJobInstance();
    try {
      return repository.getStepExecutionCount(instance, step.getStepName()) < 2
          ? List.of()
          : repository.getJobExecutions(instance);
    } catch (NoSuchStepException e) {
      throw new IllegalStateException("step " + step.getStepName() + " begins but is unknown", e);
    }
  }

  /** The last execution of the step that has a context; empty if the step was completed since. */
  private static Optional<StepExecution> last(List<StepExecution> earlier) {
    return earlier.stream()
        .filter(it ->
            it.getStatus() == BatchStatus.COMPLETED || it.getExecutionContext().containsKey(KEPT))
        .findFirst()
        .filter(it -> it.getStatus() != BatchStatus.COMPLETED);
  }

  private static Object kept(List<StepExecution> earlier) {
    return earlier.stream()
        .map(it -> it.getExecutionContext().get(KEPT))
        .filter(Objects::nonNull)
        .findFirst()
        .orElseGet(() -> UUID.randomUUID().toString().substring(0, KEPT_CHARACTERS));
  }
}
