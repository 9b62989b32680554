/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import org.jspecify.annotations.Nullable;

/**
 * A chunk did not reach its service, or its reply did not come back. All calls of the chunk fail.
 */
public final class TransportFailed extends Exception {

  private static final long serialVersionUID = 1;

  private final boolean maybePerformed;

  private TransportFailed(String message, boolean maybePerformed, @Nullable Throwable cause) {
    super(message, cause);
    this.maybePerformed = maybePerformed;
  }

  static TransportFailed notPerformed(String what, @Nullable Throwable cause) {
    return new TransportFailed(what + "; nothing was performed", false, cause);
  }

  static TransportFailed unknown(String what, @Nullable Throwable cause) {
    return new TransportFailed(
        what + "; whether the chunk was performed is not known", true, cause);
  }

  /** False if the chunk was certainly not performed, so that it may be called again. */
  public boolean maybePerformed() {
    return maybePerformed;
  }
}
