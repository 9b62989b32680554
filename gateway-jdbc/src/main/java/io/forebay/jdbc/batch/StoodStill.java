/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** A statement timed out while the database served no other session either. */
final class StoodStill extends SQLTransientConnectionException {

  private static final long serialVersionUID = 1;

  StoodStill(SQLException timeout) {
    super("the database stood still", timeout.getSQLState(), timeout);
  }
}
