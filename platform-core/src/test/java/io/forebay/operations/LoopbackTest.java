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
    for (String own : List.of("localhost", "LocalHost", "127.0.0.1", "127.3.2.1", "::1", "[::1]")) {
      assertThat(Loopback.isHost(own)).as(own).isTrue();
    }
    for (String other :
        List.of(
            "",
            "a",
            "0.0.0.0",
            "10.0.0.1",
            "[::]",
            "localhost.example",
            "127.0.0.1.example",
            "127.0.0.1,a",
            "[",
            "%6cocalhost")) {
      assertThat(Loopback.isHost(other)).as(other).isFalse();
    }
  }
}
