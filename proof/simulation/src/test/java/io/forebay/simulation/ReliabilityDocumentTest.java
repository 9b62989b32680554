/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReliabilityDocumentTest {

  @Test
  void listsEachPlantedBug() throws Exception {
    assertThat(ReliabilityDocument.table().lines()).hasSize(2 + Bug.values().length);
    for (Bug bug : Bug.values()) {
      assertThat(ReliabilityDocument.table()).contains("| " + bug.what() + " |");
    }
  }

  /** {@link PlantedBugsTest} is not part of each build, so this finds a text that has changed. */
  @ParameterizedTest
  @EnumSource
  void eachPlantedBugCanStillBePlanted(Bug bug) throws Exception {
    String source = Files.readString(Path.of("../..", bug.file()));
    assertThat(bug.plant(source)).isNotEqualTo(source);
  }
}
