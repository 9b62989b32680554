/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.Audit;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RecordedCommandTest {

  private static final Instant AT = Instant.parse("2026-11-20T02:31:07.123Z");

  @Test
  void namesAJobWithItsParameters() {
    assertThat(RecordedCommand.started("import", Map.of("wait", "true")))
        .isEqualTo("import {wait=true}");
    assertThat(RecordedCommand.started("import", Map.of())).isEqualTo("import");
  }

  @Test
  void saysUntilWhenOrWhyNot() {
    assertThat(RecordedCommand.until(Audit.ALLOWED, AT))
        .isEqualTo("allowed, until 2026-11-20T02:31:07Z");
    assertThat(RecordedCommand.alreadyPaused("paul", AT))
        .isEqualTo("refused: already paused by paul since 2026-11-20T02:31:07Z");
  }
}
