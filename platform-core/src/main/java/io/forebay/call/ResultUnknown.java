/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import org.jspecify.annotations.Nullable;

/**
 * The result of a call cannot be received here; the message says why. Whether the call is performed
 * is unknown.
 */
public final class ResultUnknown extends RuntimeException {

  private static final long serialVersionUID = 1;

  public ResultUnknown(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
