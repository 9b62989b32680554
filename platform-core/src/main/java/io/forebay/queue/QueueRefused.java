/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Duration;

/**
 * A queue did not take a message, and nothing of it was written. The caller may try again after
 * {@link #retryAfter()}, if the reason allows.
 */
public final class QueueRefused extends RuntimeException {

  /** Why a message was refused. */
  public enum Reason {
    /** The queue holds as much as it may; room comes when its consumers go on. */
    FULL,
    /** The disk is filled up to the watermark; room comes when files are no longer needed. */
    DISK,
    /** The message is larger than the queue takes. To try again is useless. */
    TOO_LARGE,
    /** The queue is closed or being closed. */
    CLOSED,
    /** The queue failed and waits for an operator. */
    FAILED,
    /** The server of a shared queue does not take messages at the moment. */
    UNAVAILABLE
  }

  private static final long serialVersionUID = 1;

  private final Reason reason;
  private final double fill;
  private final Duration retryAfter;

  /**
   * @param fill how full the queue is, from 0 to 1; NaN where fill is not the reason
   * @param retryAfter when trying again makes sense; zero if it never does
   */
  public QueueRefused(Reason reason, double fill, Duration retryAfter, String message) {
    super(message);
    this.reason = reason;
    this.fill = fill;
    this.retryAfter = retryAfter;
  }

  public Reason reason() {
    return reason;
  }

  public double fill() {
    return fill;
  }

  public Duration retryAfter() {
    return retryAfter;
  }
}
