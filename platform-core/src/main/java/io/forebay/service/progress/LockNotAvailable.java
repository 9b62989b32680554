/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

/** The database responds, but another session holds a lock that the component needs. */
public final class LockNotAvailable extends Unavailable {

  private static final long serialVersionUID = 1;

  public LockNotAvailable(String message, Throwable cause) {
    super(message, cause);
  }
}
