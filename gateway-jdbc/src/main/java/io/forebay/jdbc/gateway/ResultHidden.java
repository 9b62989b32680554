/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;

/**
 * A result cannot be read yet, if there is one: all results that can be read are of earlier
 * statements, and a transaction behind them has not ended.
 */
public final class ResultHidden extends RuntimeException {

  private static final long serialVersionUID = 1;

  ResultHidden(String queue, Receipt receipt) {
    super(
        "the result of statement %s cannot be read yet: a transaction in %s is open"
            .formatted(receipt.id(), queue));
  }
}
