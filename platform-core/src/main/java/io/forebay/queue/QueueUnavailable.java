/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import org.jspecify.annotations.Nullable;

/**
 * The server of a shared queue does not respond. Nothing is damaged; readers and appenders start
 * over when the server is back.
 */
public final class QueueUnavailable extends RuntimeException {

  private static final long serialVersionUID = 1;

  public QueueUnavailable(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
