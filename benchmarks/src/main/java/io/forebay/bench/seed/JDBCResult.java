/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

/** The messages out: one per statement, with the statement in it. */
public interface JDBCResult {
  void updateResult(long count, String update, Object... args);

  void updateThrown(Throwable thrown, String update, Object... args);
}
