/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReliabilityDocumentTest {

  @Test
  void listsEachPlantedBug() throws Exception {
    assertThat(ReliabilityDocument.table().lines()).hasSize(2 + Bug.values().length);
    for (Bug bug : Bug.values()) {
      assertThat(ReliabilityDocument.table()).contains("| " + bug.what() + " |");
    }
  }
}
