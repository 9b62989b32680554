/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import org.jspecify.annotations.Nullable;

/**
 * Another instance has taken over the partition. Answers of this instance are refused there; a call
 * that it has begun may still take effect.
 */
public final class Fenced extends RuntimeException {

  private static final long serialVersionUID = 1;

  public Fenced(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
