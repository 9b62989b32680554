/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.statement.Outcome;
import java.util.UUID;

/** The stored outcome of a statement with an idempotency key. Immutable. */
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

  /** The client that chose the key. */
  public String client() {
    return client;
  }

  /**
   * Where the performed statement was accepted; duplicates were accepted elsewhere and have the
   * same result.
   */
  public Receipt receipt() {
    return new Receipt(partition, position, id);
  }

  /** Passes on the result as the service answered it. */
  public void answer(JDBCResult result) {
    outcome.answer(result);
  }
}
