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
  void namesTheGroupOfAReplayAndHowItEnded() {
    assertThat(RecordedCommand.group("23514", "crm", " (contacts.add)", 1967))
        .isEqualTo("failed 23514 of crm (contacts.add), 1,967 messages");
    assertThat(RecordedCommand.group("MALFORMED", "crm", "", 1))
        .isEqualTo("failed MALFORMED of crm, 1 message");
    assertThat(RecordedCommand.replayEnded("failed", 1001, 2000, 1, 1000, "Stopped at 7."))
        .isEqualTo("failed: 1,001 of 2,000 sent, 1 performed, 1,000 failed again. Stopped at 7.");
    assertThat(RecordedCommand.replayEnded("done", 1, 1, 1, 0, ""))
        .isEqualTo("done: 1 of 1 sent, 1 performed, 0 failed again");
  }

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
