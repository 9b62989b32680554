/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

/** A message was not sent again, and why. Nothing was appended. */
public final class ReplayRefused extends RuntimeException {

  private static final long serialVersionUID = 1;

  public ReplayRefused(String message) {
    super(message);
  }
}
