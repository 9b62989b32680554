/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.prices;

import java.math.BigDecimal;

record Article(long id, BigDecimal cost) {

  private static final BigDecimal MARGIN = new BigDecimal("1.20");

  BigDecimal withMargin() {
    return cost.multiply(MARGIN);
  }
}
