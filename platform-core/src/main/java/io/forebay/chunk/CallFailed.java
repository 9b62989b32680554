/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import org.jspecify.annotations.Nullable;

/**
 * A call of a service got no result. Every caller gets an exception of its own, with the stack of
 * its call; the cause, where there is one, is what the service or the transport gave, and is shared
 * by the calls of a chunk that failed as a whole.
 */
public final class CallFailed extends RuntimeException {

  /** Why there is no result. */
  public enum Reason {
    /** The service answered this call with a failure, which is the cause. */
    FAILED,
    /** The whole chunk failed, for the reason given as the cause. */
    CHUNK_FAILED,
    /** The service answered other calls of the chunk, but not this one. */
    NOT_ANSWERED,
    /** What the service answered cannot be assigned to the calls of the chunk. */
    INVALID_REPLY,
    /** The chunk was not answered in its time. */
    TIMED_OUT,
    /** The collector is closed or was aborted. */
    CLOSED,
    /** The caller was interrupted; its interrupt status is set again. */
    INTERRUPTED
  }

  private static final long serialVersionUID = 1;

  private final String service;
  private final Reason reason;
  private final boolean sent;

  CallFailed(
      String service, Reason reason, boolean sent, String message, @Nullable Throwable cause) {
    super("service " + service + ": " + message, cause);
    this.service = service;
    this.reason = reason;
    this.sent = sent;
  }

  /** The name of the service. */
  public String service() {
    return service;
  }

  public Reason reason() {
    return reason;
  }

  /**
   * Whether the call had left in a chunk. If not, it was certainly not performed. If so, it may
   * have been, unless the reason is {@link Reason#FAILED} or the cause says that it was not: a
   * transport knows it if the chunk never reached the service.
   */
  public boolean sent() {
    return sent;
  }
}
