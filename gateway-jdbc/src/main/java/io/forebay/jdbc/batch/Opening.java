/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.statement.DatabaseSession;
import java.sql.SQLException;

/** Locks the progress of the partition, at the latest with the first statement of a transaction. */
interface Opening {

  /** There is no progress to lock. */
  static Opening none(DatabaseSession session) {
    return new Opening() {
      @Override
      public void lock() {}

      @Override
      public int update(String sql, Object... arguments) throws SQLException {
        return session.update(sql, arguments);
      }
    };
  }

  /** Locks it, unless that is done. */
  void lock() throws SQLException;

  /**
   * Performs an update of PostgreSQL; locks the progress in the same round trip, unless that is
   * done.
   */
  int update(String sql, Object... arguments) throws SQLException;
}
