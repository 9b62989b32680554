/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

/**
 * The transaction must be rolled back and performed again: some of its statements will then be
 * performed one at a time, or in transactions of their own.
 */
public final class PerformAgain extends RuntimeException {

  private static final long serialVersionUID = 1;

  public PerformAgain() {
    super(null, null, false, false);
  }
}
