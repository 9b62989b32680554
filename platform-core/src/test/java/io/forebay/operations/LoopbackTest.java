/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoopbackTest {

  @Test
  void knowsTheAddressesOfThisHost() {
    for (String own :
        List.of(
            "localhost:1",
            "LocalHost",
            "127.0.0.1",
            "127.3.2.1:9092",
            "::1",
            "[::1]:5432",
            "SSL://127.0.0.1:9093",
            "127.0.0.1:1, [::1]:2")) {
      assertThat(Loopback.areAll(own)).as(own).isTrue();
    }
    for (String other :
        List.of(
            "",
            "a",
            "a:1",
            "0.0.0.0",
            "10.0.0.1:1",
            "[::]:1",
            "localhost.example:1",
            "127.0.0.1.example",
            "127.0.0.1:1,a:1",
            "[",
            "%6cocalhost")) {
      assertThat(Loopback.areAll(other)).as(other).isFalse();
    }
  }
}
