/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import java.math.BigDecimal;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The component of our service. */
final class PriceList implements Pricing {

  private static final BigDecimal EACH = new BigDecimal("2.50");

  private final Prices prices;

  PriceList(Prices prices) {
    this.prices = prices;
  }

  @Override
  public void price(UUID order, int count) {
    prices.priced(order, total(count));
  }

  @Override
  public CompletableFuture<BigDecimal> quote(int count) {
    return CompletableFuture.completedFuture(total(count));
  }

  private static BigDecimal total(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("count is " + count + ", minimum 1");
    }
    return EACH.multiply(BigDecimal.valueOf(count));
  }
}
