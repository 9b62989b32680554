/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.concurrent.CompletableFuture;

/**
 * The future result of a statement. Completes with {@link SqlFailed} if it was not performed.
 *
 * @param <T> {@code Long} for an update, {@link Rows} for a query, a list of {@code Long} for
 *     updates that took effect together
 */
public final class Pending<T> extends CompletableFuture<T> {

  private final Receipt receipt;

  Pending(Receipt receipt) {
    this.receipt = receipt;
  }

  /** Where the statement was accepted. */
  public Receipt receipt() {
    return receipt;
  }
}
