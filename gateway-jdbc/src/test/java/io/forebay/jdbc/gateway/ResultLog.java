/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Message;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes results down as text: the count, the values, or the kind of the failure. */
final class ResultLog implements JDBCResult {

  private final List<String> log;
  private final @Nullable UUID only;

  /**
   * @param only the message whose results are wanted; null for all
   */
  ResultLog(List<String> log, @Nullable UUID only) {
    this.log = log;
    this.only = only;
  }

  private void add(String result) {
    if (only == null || Message.current().id().equals(only)) {
      log.add(result);
    }
  }

  @Override
  public void queryResult(Rows rows) {
    add(rows.values().toString());
  }

  @Override
  public void queryThrown(SqlFailure failure) {
    add(failure.kind().name());
  }

  @Override
  public void updateResult(long count) {
    add(Long.toString(count));
  }

  @Override
  public void updateThrown(SqlFailure failure) {
    add(failure.kind().name());
  }
}
