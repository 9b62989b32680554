/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.Capabilities;
import java.sql.SQLException;

/** The result of a query exceeds a limit: the statement is rolled back like a failed one. */
public final class ResultTooLarge extends SQLException {

  private static final long serialVersionUID = 1;

  public ResultTooLarge(String message) {
    super(message, "54000");
  }

  /** The results of the statements of one message exceed what its answer can carry. */
  public static ResultTooLarge ofMessage() {
    return new ResultTooLarge(
        "the results of the statements of one message are too large (limit=%,d bytes together); the statement was rolled back"
            .formatted(Capabilities.MAX_MESSAGE_BYTES));
  }

  public SqlFailure failure() {
    return SqlFailure.limit(String.valueOf(getMessage()));
  }
}
