/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

/** A statement was not performed. */
public final class SqlFailed extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient SqlFailure failure;

  public SqlFailed(SqlFailure failure) {
    super("%s (SQLState %s): %s".formatted(failure.kind(), failure.sqlState(), failure.message()));
    this.failure = failure;
  }

  public SqlFailure failure() {
    return failure;
  }
}
