/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

/**
 * The batch is to be undone and tried again: some of its statements will be performed one by one.
 */
public final class PerformSingly extends RuntimeException {

  private static final long serialVersionUID = 1;

  PerformSingly() {
    super(null, null, false, false);
  }
}
