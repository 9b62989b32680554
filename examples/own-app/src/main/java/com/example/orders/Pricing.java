/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import java.math.BigDecimal;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The calls of our service. Each call is a message. */
interface Pricing {

  /** Is answered with an event, see {@link Prices}. */
  void price(UUID order, int count);

  /** Returns a result. */
  CompletableFuture<BigDecimal> quote(int count);
}
