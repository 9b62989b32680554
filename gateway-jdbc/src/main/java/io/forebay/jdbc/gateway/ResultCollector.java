/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the calls of one result at a time. For one thread. */
public class ResultCollector implements JDBCResult {
  private final List<Long> counts = new ArrayList<>();
  private @Nullable Rows rows;
  private @Nullable SqlFailure failure;

  void clear() {
    counts.clear();
    rows = null;
    failure = null;
  }

  long count() {
    return counts.getFirst();
  }

  /** Why it was not performed, or null if it was. */
  public @Nullable SqlFailure failure() {
    return failure;
  }

  /** The update counts; none if it is that of a query. */
  public List<Long> counts() {
    return List.copyOf(counts);
  }

  /** The rows of a query; null if it is that of an update. */
  public @Nullable Rows rows() {
    return rows;
  }

  @Override
  public void queryResult(Rows result) {
    rows = result;
  }

  @Override
  public void queryThrown(SqlFailure thrown) {
    failure = thrown;
  }

  @Override
  public void updateResult(long count) {
    counts.add(count);
  }

  @Override
  public void updateThrown(SqlFailure thrown) {
    failure = thrown;
  }
}
