/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.jobs.FailureSummary;
import org.slf4j.event.Level;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.job.JobExecution;

/** What the repository says about the end of an execution. */
final class Endings {

  /** The exit status of an execution that was marked as failed because its process had died. */
  static final ExitStatus RECOVERED =
      new ExitStatus(
          ExitStatus.FAILED.getExitCode(),
          "Recovered: the process that ran it had died, or could not reach the repository.");

  private Endings() {}

  /**
   * Whether it may not be running although its status is running or unknown: its process is dead,
   * or could not write how it ended.
   */
  static boolean isStuck(JobExecution execution) {
    return switch (execution.getStatus()) {
      case COMPLETED, ABANDONED -> false;
      case STARTING, STARTED, STOPPING, UNKNOWN -> true;
      case FAILED, STOPPED ->
          execution.getStepExecutions().stream().anyMatch(step -> isOpen(step.getStatus()));
    };
  }

  static boolean isOpen(BatchStatus status) {
    return status.isRunning() || status == BatchStatus.UNKNOWN;
  }

  /** The status, and why it failed if that is known. */
  static String text(JobExecution execution) {
    String why = FailureSummary.of(execution.getExitStatus().getExitDescription());
    return execution.getStatus().isUnsuccessful() && !why.isEmpty()
        ? execution.getStatus() + " (" + why + ")"
        : execution.getStatus().name();
  }

  static Level level(JobExecution execution) {
    return execution.getStatus().isUnsuccessful() ? Level.WARN : Level.INFO;
  }

  /** Whether it failed only because its process had died. */
  static boolean wasRecovered(JobExecution execution) {
    return execution.getStatus() == BatchStatus.FAILED
        && RECOVERED.equals(execution.getExitStatus());
  }
}
