/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import tools.jackson.databind.json.JsonMapper;

class AuditControllerTest {

  @Test
  void anEntryShowsWhoDidWhatAndWhy() {
    Actor olga = new Actor(Actor.Kind.USER, "olga", "operator", "127.0.0.1");
    Audit.Entry entry =
        Audit.Entry.allowed(olga, "service.pause", "orders", "migration")
            .changing(Audit.Change.of("state", "running", "paused"));
    Audit.Recorded recorded =
        new Audit.Recorded(
            7, Instant.parse("2026-11-20T01:02:03Z"), entry, new Audit.Link(5, "ab".repeat(32)));
    JsonMapper json = JsonMapper.shared();
    assertThat(json.readTree(json.writeValueAsString(AuditController.View.of(recorded))))
        .isEqualTo(
            json.readTree(
                """
                {"id":7,"number":5,"at":"2026-11-20T01:02:03Z","kind":"user","actor":"olga",
                "role":"operator","hash":"abababababababababababababababababababababababababababababababab",
                "address":"127.0.0.1","action":"service.pause","target":"orders",
                "reason":"migration","outcome":"%s",
                "changes":[{"name":"state","before":"running","after":"paused"}]}
                """
                    .formatted(Audit.ALLOWED)));
  }

  /** Entries with the numbers up to 2,500; fails when the page after that of `away` is read. */
  private static Audit audit(int away) {
    Actor olga = new Actor(Actor.Kind.USER, "olga", "operator", "127.0.0.1");
    return new Audit() {
      @Override
      public void record(Entry entry) {}

      @Override
      public List<Recorded> before(long before, int limit, Filter filter) {
        long last = Math.min(before - 1, 2_500);
        if (last < away) {
          throw new Unavailable("away", null);
        }
        return LongStream.iterate(last, it -> it > 0, it -> it - 1)
            .limit(limit)
            .mapToObj(it ->
                new Recorded(
                    it,
                    Instant.EPOCH,
                    Entry.allowed(olga, "service.pause", "orders", ""),
                    new Link(it, "ab".repeat(32))))
            .toList();
      }
    };
  }

  private static MockHttpServletResponse export(int away) throws IOException {
    MockHttpServletResponse response = new MockHttpServletResponse();
    new AuditController(audit(away)).export(null, null, false, Actor.SYSTEM, response);
    return response;
  }

  @Test
  void anExportHasEachEntryOnceHoweverManyThereAre() throws IOException {
    List<String> lines = export(0).getContentAsString().lines().toList();
    assertThat(lines).hasSize(2_501);
    assertThat(lines.get(1)).startsWith("\"2500\",");
    assertThat(lines.getLast()).startsWith("\"1\",");
    assertThat(new HashSet<>(lines)).hasSize(2_501);
  }

  @Test
  void aReadDuringAnOutageDoesNotSpeakOfChanges() {
    assertThat(detail("GET"))
        .isEqualTo(
            "The system database is not responding, so this cannot be read; retry later. Services and"
                + " their figures do not need it");
    assertThat(detail("POST")).contains("no change is made without an audit entry");
  }

  private static String detail(String method) {
    return new ExceptionProblems()
        .unavailable(new Unavailable("away", null), new MockHttpServletRequest(method, "/"))
        .getBody()
        .getDetail();
  }

  @Test
  void anExportThatCannotBeCompletedFails() {
    assertThatThrownBy(() -> export(1_400)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> export(2_600))
        .as("nothing was sent yet")
        .isInstanceOf(Unavailable.class);
  }
}
