/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

/** A command to a job cannot be performed; nothing was changed. */
public final class JobRefused extends RuntimeException {

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
    ALIVE
  }

  private final Reason reason;

  /**
   * @param message a sentence for the caller, without anything of the request
   */
  public JobRefused(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
