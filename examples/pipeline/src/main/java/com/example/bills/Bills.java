/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.bills;

import java.math.BigDecimal;
import java.util.UUID;

/** The answers of the first stage, which are the calls of the second. */
interface Bills {
  void billed(UUID order, String item, BigDecimal total);
}
