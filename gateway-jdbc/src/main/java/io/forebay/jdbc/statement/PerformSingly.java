/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

/**
 * The batch must be rolled back and retried: some of its statements will be performed one at a
 * time.
 */
public final class PerformSingly extends RuntimeException {

  private static final long serialVersionUID = 1;

  PerformSingly() {
    super(null, null, false, false);
  }
}
