/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

/** The arguments of a command cannot be used; the message says which, and what is allowed. */
public final class WrongUsage extends RuntimeException {

  private static final long serialVersionUID = 1;

  public WrongUsage(String message) {
    super(message);
  }
}
