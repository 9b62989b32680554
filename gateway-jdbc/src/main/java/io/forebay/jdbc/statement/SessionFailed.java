/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** A command of the session failed, for example a savepoint: that is the fault of no statement. */
final class SessionFailed extends SQLTransientConnectionException {

  private static final long serialVersionUID = 1;

  SessionFailed(SQLException cause) {
    super("the transaction cannot be continued", cause.getSQLState(), cause);
  }
}
