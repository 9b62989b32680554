/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ServiceOptionsTest {

  @Test
  void aNegativeShareOfHistoriesIsRefused() {
    assertThatThrownBy(() -> ServiceOptions.defaults().withHistoryOneIn(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("historyOneIn is -1, minimum 0");
  }
}
