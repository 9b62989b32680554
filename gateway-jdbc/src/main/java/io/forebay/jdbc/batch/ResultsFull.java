/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

/** The results of a transaction exceed their memory limit: retry with fewer statements. */
final class ResultsFull extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int performed;

  /**
   * @param performed how many statements it took, at least 1
   */
  ResultsFull(int performed) {
    super(null, null, false, false);
    this.performed = performed;
  }

  int performed() {
    return performed;
  }
}
