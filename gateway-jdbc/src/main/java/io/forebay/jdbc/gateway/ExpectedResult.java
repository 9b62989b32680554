/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;

/** A future and the function that computes its value from a result. */
record ExpectedResult<T>(Pending<T> pending, Expectation<T> expected) {
  void complete(ResultCollector collected) {
    SqlFailure failure = collected.failure();
    if (failure != null) {
      pending.completeExceptionally(new SqlFailed(failure));
    } else {
      pending.complete(expected.of(collected));
    }
  }

  /** Extracts the value of a call from its result. */
  @FunctionalInterface
  interface Expectation<T> {
    T of(ResultCollector collected);
  }
}
