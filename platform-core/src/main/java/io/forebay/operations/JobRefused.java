/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

/** A command to a job cannot be performed; nothing was changed. */
public final class JobRefused extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** Why. */
  public enum Reason {
    /** There is no such job or execution. */
    UNKNOWN,
    /** A parameter is not allowed, missing or not of its type. */
    INVALID_PARAMETERS,
    /** An execution with these parameters runs. */
    ALREADY_RUNNING,
    /** An execution with these parameters ran to its end. */
    ALREADY_COMPLETE,
    /** It cannot go on where it ended. */
    NOT_RESTARTABLE,
    /** It does not run. */
    NOT_RUNNING,
    /** A live process runs it. */
    ALIVE
  }

  private final Reason reason;

  /**
   * @param message a sentence for whoever asked; it holds nothing of what he sent
   */
  public JobRefused(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
