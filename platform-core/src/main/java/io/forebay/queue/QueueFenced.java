/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import org.jspecify.annotations.Nullable;

/**
 * Another instance answers this partition of a shared queue now; the queue refuses answers from
 * this one.
 */
public final class QueueFenced extends RuntimeException {

  private static final long serialVersionUID = 1;

  public QueueFenced(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
