/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RecordedCommandTest {

  private static final Instant AT = Instant.parse("2026-11-20T02:31:07.5Z");

  private static Map<String, Object> parts(String action, String target, String outcome) {
    return RecordedCommand.parts(new Audit.Entry(Actor.SYSTEM, action, target, "why", outcome));
  }

  @Test
  void aCommandWithoutPartsHasNone() {
    assertThat(parts("service.pause", "mail", "allowed")).isEmpty();
    assertThat(parts("user.create", "olga/x~y", "failed: no, until 2026-11-20T02:31:07Z"))
        .isEmpty();
    assertThat(parts("failures.replay", "something of another version", "allowed")).isEmpty();
  }

  @Test
  void readsWhatAnImportOrTheStartOfAJobIsAbout() {
    String target = RecordedCommand.imported("orders.place", "066a47a1", "/data/in/some items.csv");
    assertThat(parts("job.import", target, "allowed"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("object", "orders.place", "file", "some items.csv"));
    assertThat(
            parts(
                "job.start", RecordedCommand.started("import", Map.of("wait", "true")), "allowed"))
        .containsExactlyInAnyOrderEntriesOf(Map.of("object", "import", "given", "wait=true"));
    assertThat(parts("job.start", RecordedCommand.started("import", Map.of()), "allowed"))
        .isEmpty();
  }

  @Test
  void readsWhatAnotherLanguageWrote() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMANY);
    try {
      String target = RecordedCommand.group("failed", "23514", "crm", "", 1967);
      assertThat(parts("failures.replay", target, "allowed")).containsEntry("messages", 1967L);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void readsWhatAReplayIsAboutAndHowItEnded() {
    String target =
        RecordedCommand.group(
            "failed", "23514", "crm", " (contacts.add; constraint qty, table orders)", 1265);
    assertThat(parts("failures.replay", target, "allowed"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "kind", "failed",
                "object", "crm",
                "error", "23514",
                "cause", "contacts.add; constraint qty, table orders",
                "messages", 1265L));
    assertThat(
            parts(
                "failures.replay.result",
                RecordedCommand.group("dead", "MALFORMED", "crm", "", 1),
                RecordedCommand.replayEnded("failed", 1001, 2000, 1, 1000, "Stopped at 7. Why?")))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "kind",
                "dead",
                "object",
                "crm",
                "error",
                "MALFORMED",
                "messages",
                1L,
                "state",
                "failed",
                "done",
                1L,
                "failed",
                1000L,
                "sent",
                1001L,
                "count",
                2000L,
                "why",
                "Stopped at 7. Why?"));
    assertThat(
            parts(
                "failures.replay.result", "", RecordedCommand.replayEnded("done", 1, 1, 1, 0, "")))
        .doesNotContainKey("why");
  }

  @Test
  void readsTheTimesOfAPause() {
    assertThat(parts("service.pause", "mail", RecordedCommand.until(Audit.ALLOWED, AT)))
        .isEqualTo(Map.of("until", "2026-11-20T02:31:07Z"));
    assertThat(
            parts(
                "service.pause",
                "mail",
                RecordedCommand.until(Audit.ALLOWED + ", was already paused", AT)))
        .isEqualTo(Map.of("note", "was already paused", "until", "2026-11-20T02:31:07Z"));
    assertThat(parts("service.resume", "mail", "allowed, resumed automatically"))
        .isEqualTo(Map.of("note", "resumed automatically"));
    assertThat(parts("service.pause", "mail", RecordedCommand.alreadyPaused("paul since ever", AT)))
        .isEqualTo(Map.of("by", "paul since ever", "since", "2026-11-20T02:31:07Z"));
  }

  @Test
  void readsTheObjectOfAlertsPartitionsAndMessages() {
    assertThat(parts("alert.silence", "disk~_var~lib", "allowed"))
        .isEqualTo(Map.of("kind", "disk", "object", "_var~lib"));
    assertThat(parts("service.fail-message", "orders/0/17", "allowed"))
        .isEqualTo(Map.of("object", "orders", "partition", "0", "position", "17"));
    assertThat(parts("service.set-aside", "orders/2", "allowed"))
        .isEqualTo(Map.of("object", "orders", "partition", "2"));
  }
}
