/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BurstTest {

  /** The statement's text and values, an id of 16 bytes, a time, a number and a checksum. */
  @Test
  void theMessageIsLittleLongerThanItsContent() {
    int carried = Burst.INSERT.length() + "executeUpdate".length() + "customer-0000".length();

    assertThat(Burst.messageBytes(Burst.INSERT)).isBetween(carried + 48, carried + 72);
  }
}
