/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

/** The outgoing messages: one per statement, including the statement. */
public interface JDBCResult {
  void updateResult(long count, String update, Object... args);

  void updateThrown(Throwable thrown, String update, Object... args);
}
