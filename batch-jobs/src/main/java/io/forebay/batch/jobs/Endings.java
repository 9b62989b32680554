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

  /** Begins the exit description of an execution that a shutdown stopped. */
  private static final String SHUT_DOWN = "Shutdown: the process that ran it shut down.";

  private Endings() {}

  /** Marks an execution, if it stopped or failed, as ended by the shutdown of its process. */
  static void markShutDown(JobExecution execution) {
    ExitStatus exit = execution.getExitStatus();
    BatchStatus status = execution.getStatus();
    if ((status == BatchStatus.STOPPED || status == BatchStatus.FAILED)
        && !exit.getExitDescription().startsWith(SHUT_DOWN)) {
      execution.setExitStatus(
          new ExitStatus(exit.getExitCode(), SHUT_DOWN + "\n" + exit.getExitDescription()));
    }
  }

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
    String why = FailureSummary.of(FailureText.of(execution.getExitStatus().getExitDescription()));
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
