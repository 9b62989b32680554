/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ForebayMessageTest {

  /** The statement's text and values, an id of 16 bytes, a time, a number and a checksum. */
  @Test
  void theMessageIsLittleLongerThanItsContent() {
    int carried = Burst.sql(false).length() + "executeUpdate".length() + "customer-0000".length();

    assertThat(ForebayMessage.length()).isBetween(carried + 48, carried + 72);
  }
}
