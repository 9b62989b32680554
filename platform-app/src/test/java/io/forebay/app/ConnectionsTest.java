/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionsTest {

  @ParameterizedTest
  @CsvSource({
    "512, 1000000, 1792", // the heap of the recommended container
    "8192, 1000000, 8192",
    "8192, 1024, 512",
    "8, 1024, 64",
    "8192, 9223372036854775807, 8192",
  })
  void heapAndFilesLimitThem(long heapMegabytes, long files, int expected) {
    assertThat(Connections.most(heapMegabytes << 20, files)).isEqualTo(expected);
  }
}
