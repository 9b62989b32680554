/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import org.jspecify.annotations.Nullable;

/**
 * Something that a component needs is unavailable. The service waits and retries. Thrown only by
 * methods that declare it: when the component is created, when it resumes, and at the end of a
 * batch, not by its calls.
 */
public class Unavailable extends RuntimeException {

  private static final long serialVersionUID = 1;

  public Unavailable(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
