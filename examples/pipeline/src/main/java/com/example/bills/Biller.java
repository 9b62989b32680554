/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.bills;

import java.math.BigDecimal;
import java.util.UUID;

/** The first stage calculates what an order costs. */
record Biller(Bills bills) implements Orders {

  private static final BigDecimal EACH = new BigDecimal("2.50");

  @Override
  public void ordered(UUID order, String item, int count) {
    if (count < 1) {
      throw new IllegalArgumentException("count is " + count + ", minimum 1");
    }
    bills.billed(order, item, EACH.multiply(BigDecimal.valueOf(count)));
  }
}
