/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import io.forebay.operations.Audit;
import java.util.Collection;
import java.util.regex.Pattern;

/** A command to a job cannot be performed; nothing was changed. */
public final class JobRefused extends RuntimeException implements Audit.Refusal {

  private static final long serialVersionUID = 1;

  /** Why a command was refused. */
  public enum Reason {
    /** There is no such job or execution. */
    UNKNOWN,
    /** A parameter is not allowed, is missing or has the wrong type. */
    INVALID_PARAMETERS,
    /** An execution with these parameters is running. */
    ALREADY_RUNNING,
    /** An execution with these parameters is complete. */
    ALREADY_COMPLETE,
    /** It cannot be resumed. */
    NOT_RESTARTABLE,
    /** It is not running. */
    NOT_RUNNING,
    /** A live process runs it. */
    ALIVE,
    /** It performs a statement that the one who starts it may not send. */
    NOT_GRANTED
  }

  /** A name that may be repeated in a log. */
  private static final Pattern NAME = Pattern.compile("[\\w.-]{1,100}");

  private final Reason reason;

  /**
   * @param message a sentence for the caller; of the request it has at most names
   */
  public JobRefused(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * There is no such job.
   *
   * @param jobs the names of those that exist
   */
  public static JobRefused unknownJob(String name, Collection<String> jobs) {
    return new JobRefused(
        Reason.UNKNOWN,
        "There is no job%s (%s)."
            .formatted(
                NAME.matcher(name).matches() ? " " + name : " with this name",
                jobs.isEmpty()
                    ? "this application has none"
                    : "known: " + String.join(", ", jobs.stream().sorted().toList())));
  }

  public Reason reason() {
    return reason;
  }
}
