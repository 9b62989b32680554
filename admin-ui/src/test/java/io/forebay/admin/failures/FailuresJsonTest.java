/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Failures as JSON, field by field. */
class FailuresJsonTest {

  private static final Instant FIRST = Instant.parse("2026-11-20T01:00:00Z");
  private static final Instant LAST = Instant.parse("2026-11-20T02:00:00Z");

  @Test
  void aGroupHasTheFiguresOfItsFailures() {
    Failures.Group group =
        new Failures.Group(
            "shop",
            "23505",
            new Failures.Cause("orders.place", "constraint orders_pkey"),
            "a key exists",
            1000,
            true,
            30,
            FIRST,
            LAST);
    assertEqual(
        GroupsController.Group.of(group, LAST.plusSeconds(3)),
        """
        {"id":"shop~23505~orders.place~constraint orders_pkey",
        "service":"shop","error":"23505","statement":"orders.place",
        "cause":"orders.place~constraint orders_pkey","lastMinute":30,
        "text":"a key exists","count":1000,"countCapped":true,"first":"2026-11-20T01:00:00Z",
        "last":"2026-11-20T02:00:00Z","ended":false,"undecodable":false}
        """);
  }

  @Test
  void aGroupHasEndedIfNoneFailedForSomeSeconds() {
    assertThat(ended(30, 3)).isFalse();
    assertThat(ended(30, 11)).as("five times the usual time between two").isTrue();
    assertThat(ended(600, 4)).isTrue();
    assertThat(ended(1, 9)).isFalse();
    assertThat(ended(1, 11)).isTrue();
    assertThat(ended(0, 3600)).isTrue();
  }

  private static boolean ended(long lastMinute, long seconds) {
    Failures.Group group =
        new Failures.Group(
            "shop", "23505", Failures.Cause.UNKNOWN, "", 600, false, lastMinute, FIRST, LAST);
    return GroupsController.Group.of(group, LAST.plusSeconds(seconds)).ended();
  }

  @Test
  void ofManyGroupsTheLast200AreShownAndTheOthersCounted() {
    List<GroupsController.Group> all = new ArrayList<>();
    for (int i = 0; i < 203; i++) {
      Failures.Cause cause = new Failures.Cause("orders.place" + i, null);
      all.add(
          GroupsController.Group.of(
              new Failures.Group("shop", "23505", cause, "a", i, false, 0, FIRST, LAST), LAST));
    }
    GroupsController.Groups groups = GroupsController.Groups.of(all);
    assertThat(groups.groups()).hasSize(200).isEqualTo(all.subList(0, 200));
    assertThat(groups.others()).isEqualTo(3);
    assertThat(groups.othersCount()).isEqualTo(200 + 201 + 202);
    assertThat(GroupsController.Groups.of(all.subList(0, 2)).others()).isZero();
  }

  @Test
  void aFailureIsShownWithItsOriginAndWhatBecameOfIt() {
    UUID message = UUID.randomUUID();
    Failure.Replay replay = new Failure.Replay(message, "olga", LAST, Failure.Outcome.DONE);
    assertEqual(
        FailuresController.Row.of(
            new Failure(
                "f",
                "shop",
                2,
                7,
                message,
                "DATA",
                "22000",
                "a value is invalid (table orders)",
                new Failure.Origin("orders.place@1", "web", "order-7"),
                "4bf92f3577b34da6a3ce929d0e0e4736",
                99,
                FIRST,
                replay,
                1,
                new Failure.Decision(Failure.State.SET_ASIDE, "otto", FIRST, "ask sales"))),
        """
        {"id":"f","service":"shop","messageId":"%s","kind":"DATA","sqlState":"22000","at":"2026-11-20T01:00:00Z","partition":2,
        "position":7,"bytes":99,"replays":1,"detail":"a value is invalid (table orders)",
        "origin":{"statement":"orders.place@1","client":"web","key":"order-7"},
        "traceId":"4bf92f3577b34da6a3ce929d0e0e4736",
        "replay":{"messageId":"%s","by":"olga","at":"2026-11-20T02:00:00Z","outcome":"DONE"},
        "decision":{"state":"SET_ASIDE","by":"otto","at":"2026-11-20T01:00:00Z",
        "reason":"ask sales"},"state":"replayed","undecodable":false}
        """
            .formatted(message, message));
  }

  private static void assertEqual(Object document, String expected) {
    JsonMapper json = JsonMapper.shared();
    assertThat(json.readTree(json.writeValueAsString(document))).isEqualTo(json.readTree(expected));
  }
}
