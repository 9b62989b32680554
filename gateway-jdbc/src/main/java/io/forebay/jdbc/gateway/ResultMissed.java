/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;

/**
 * A statement was performed, but its result was deleted from the out-queue before the client read
 * it. If the statement has an idempotency key, the database also keeps its result: send the same
 * statement with the same key again.
 */
public final class ResultMissed extends RuntimeException {

  private static final long serialVersionUID = 1;

  ResultMissed(String queue, Receipt receipt, long firstKept) {
    super(
        ("the result at position %,d in partition %d was deleted before this client"
                + " read it (queue=%s, first kept=%,d); the statement was performed; read"
                + " results faster, or increase the queue's retention")
            .formatted(receipt.position(), receipt.partition(), queue, firstKept));
  }
}
