/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import org.jspecify.annotations.Nullable;

/**
 * A partition of a queue needs an operator: a stored message is damaged, or a message could not be
 * stored. Nothing behind that point is read or performed.
 */
public final class QueueFailed extends RuntimeException {

  private static final long serialVersionUID = 1;

  public QueueFailed(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
