/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import io.forebay.operations.Audit;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a batch job. Unknown values are null, never a guess.
 *
 * @param state as Spring Batch names it: STARTING, STARTED, STOPPING, STOPPED, COMPLETED, FAILED,
 *     ABANDONED or UNKNOWN
 * @param parameters as text, by name
 * @param startedBy who started it
 * @param instance the process that runs or ran it
 * @param dead whether it is marked as running but no live process runs it; it must be recovered
 * @param mayRestart whether it failed or was stopped and is the newest execution with its
 *     parameters
 * @param failure the types of the exceptions that ended it, outermost first; empty if none did
 * @param steps in the order in which they began; empty in a list of executions
 */
public record JobExecutionView(
    long id,
    String job,
    String state,
    Map<String, String> parameters,
    String startedBy,
    @Nullable String instance,
    boolean dead,
    boolean mayStop,
    boolean mayRestart,
    boolean mayRecover,
    Instant created,
    @Nullable Instant started,
    @Nullable Instant ended,
    String failure,
    List<JobStepView> steps) {

  public JobExecutionView {
    parameters = Map.copyOf(parameters);
    steps = List.copyOf(steps);
  }

  /**
   * What a start of a job changes, for the audit.
   *
   * @param latest the execution before it; null if there was none
   */
  public static Audit.Change start(@Nullable JobExecutionView latest) {
    return Audit.Change.of(
        "latest execution",
        latest == null ? "" : "%d %s".formatted(latest.id(), latest.state()),
        "a new one");
  }
}
