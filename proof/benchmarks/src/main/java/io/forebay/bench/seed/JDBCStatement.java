/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

/** The incoming messages. */
public interface JDBCStatement {
  void executeUpdate(String query, Object... args);
}
