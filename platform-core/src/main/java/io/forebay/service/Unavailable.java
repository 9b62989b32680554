/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import org.jspecify.annotations.Nullable;

/**
 * What a component needs is not there now. The service waits and asks again. To be thrown where
 * that is said: when the component is made, when it resumes, and at the end of a batch, not by its
 * calls.
 */
public final class Unavailable extends RuntimeException {

  private static final long serialVersionUID = 1;

  public Unavailable(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
