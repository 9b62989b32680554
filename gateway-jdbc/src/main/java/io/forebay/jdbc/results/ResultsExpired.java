/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.results;

/** Results from the requested position on are no longer kept. */
public final class ResultsExpired extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ResultsExpired(String message) {
    super(message);
  }
}
