/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.bills;

import java.util.UUID;

/** The calls of the first stage. */
interface Orders {
  void ordered(UUID order, String item, int count);
}
