/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Duration;

/**
 * A queue refused a message; nothing was written. If the reason allows it, the caller may retry
 * after {@link #retryAfter()}.
 */
public final class QueueRefused extends RuntimeException {

  /** Why a message was refused. */
  public enum Reason {
    /** The queue is full; consumers free space as they advance. */
    FULL,
    /** The disk has reached the watermark; space is freed when files are no longer needed. */
    DISK,
    /** The message exceeds the limit of the queue. Do not retry. */
    TOO_LARGE,
    /** The queue is closed or being closed. */
    CLOSED,
    /** The queue failed and waits for an operator. */
    FAILED,
    /** The server of a shared queue does not accept messages at the moment. */
    UNAVAILABLE
  }

  private static final long serialVersionUID = 1;

  private final Reason reason;
  private final double fill;
  private final Duration retryAfter;

  /**
   * @param fill how full the queue is, from 0 to 1; NaN if fill is not the reason
   * @param retryAfter when a retry makes sense; zero if never
   */
  public QueueRefused(Reason reason, double fill, Duration retryAfter, String message) {
    super(message);
    this.reason = reason;
    this.fill = fill;
    this.retryAfter = retryAfter;
  }

  /** A refusal that does not depend on the fill and names no time for a retry. */
  public QueueRefused(Reason reason, String message) {
    this(reason, Double.NaN, Duration.ZERO, message);
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
