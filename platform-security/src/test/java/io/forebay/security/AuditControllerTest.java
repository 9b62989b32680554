/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class AuditControllerTest {

  @Test
  void anEntryShowsWhoDidWhatAndWhy() {
    Actor olga = new Actor(Actor.Kind.USER, "olga", "operator", "127.0.0.1");
    Audit.Entry entry =
        Audit.Entry.allowed(olga, "service.pause", "orders", "migration")
            .changing(Audit.Change.of("state", "running", "paused"));
    Audit.Recorded recorded = new Audit.Recorded(7, Instant.parse("2026-11-20T01:02:03Z"), entry);
    JsonMapper json = JsonMapper.shared();
    assertThat(json.readTree(json.writeValueAsString(AuditController.View.of(recorded))))
        .isEqualTo(
            json.readTree(
                """
                {"id":7,"at":"2026-11-20T01:02:03Z","kind":"user","actor":"olga",
                "role":"operator","address":"127.0.0.1","action":"service.pause","target":"orders",
                "reason":"migration","outcome":"%s",
                "changes":[{"name":"state","before":"running","after":"paused"}]}
                """
                    .formatted(Audit.ALLOWED)));
  }
}
