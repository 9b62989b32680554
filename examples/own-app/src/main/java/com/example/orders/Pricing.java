/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import java.util.UUID;

/** The calls of our service. Each call is a message. */
interface Pricing {
  void price(UUID order, int count);
}
