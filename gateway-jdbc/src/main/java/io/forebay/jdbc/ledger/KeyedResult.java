/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.statement.Outcome;
import java.util.UUID;

/** How a statement with an idempotency key ended, as the database has kept it. Immutable. */
public final class KeyedResult {

  private final UUID id;
  private final String client;
  private final int partition;
  private final long position;
  private final Outcome outcome;

  KeyedResult(UUID id, String client, int partition, long position, Outcome outcome) {
    this.id = id;
    this.client = client;
    this.partition = partition;
    this.position = position;
    this.outcome = outcome;
  }

  /** Who gave the key. */
  public String client() {
    return client;
  }

  /**
   * Where the statement was accepted that was performed; the same request that came again was
   * accepted elsewhere, and has the same result.
   */
  public Receipt receipt() {
    return new Receipt(partition, position, id);
  }

  /** Gives the result, as the service has answered it. */
  public void answer(JDBCResult result) {
    outcome.answer(result);
  }
}
