/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.statement.Outcome;

/**
 * The stored outcome of a statement with an idempotency key.
 *
 * @param receipt where the performed statement was accepted; duplicates were accepted elsewhere and
 *     have the same result
 * @param client the client that chose the key
 */
public record KeyedResult(Receipt receipt, String client, Outcome outcome) {

  /** Passes on the result as the service answered it. */
  public void answer(JDBCResult result) {
    outcome.answer(result);
  }
}
