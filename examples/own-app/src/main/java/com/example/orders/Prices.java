/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import java.math.BigDecimal;
import java.util.UUID;

/** The answers of our service. */
interface Prices {
  void priced(UUID order, BigDecimal total);
}
