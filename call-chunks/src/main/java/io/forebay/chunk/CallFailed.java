/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import org.jspecify.annotations.Nullable;

/**
 * A call of a service returned no result. Every caller gets its own exception with its own stack
 * trace. The cause, if any, comes from the service or the transport; the calls of a chunk that
 * failed as a whole share it.
 */
public final class CallFailed extends RuntimeException {

  /** Why there is no result. */
  public enum Reason {
    /** The service answered this call with a failure, which is the cause. */
    FAILED,
    /** The whole chunk failed; the cause is the reason. */
    CHUNK_FAILED,
    /** The service answered other calls of the chunk, but not this one. */
    NOT_ANSWERED,
    /** The replies of the service cannot be matched to the calls of the chunk. */
    INVALID_REPLY,
    /** The chunk timed out. */
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
   * Whether the call was sent in a chunk. If not, it was not performed. If so, it may have been
   * performed, unless the reason is {@link Reason#FAILED} or the cause rules it out: a transport
   * knows if the chunk never reached the service.
   */
  public boolean sent() {
    return sent;
  }
}
