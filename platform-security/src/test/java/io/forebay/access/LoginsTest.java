/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.forebay.system.SessionStore;
import io.forebay.system.StoredSession;
import io.forebay.system.StoredUser;
import io.forebay.system.UserStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoginsTest {

  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
  private static final StoredUser OLGA =
      new StoredUser("olga", "hash", "operator", false, "anna", NOON);

  private final UserStore users = mock();
  private final SessionStore store = mock();
  private final List<StoredSession> stored = new ArrayList<>();
  private Instant now = NOON;
  private final Logins logins =
      new Logins(users, store, Duration.ofHours(1), Duration.ofHours(12), () -> now);

  @BeforeEach
  void aStore() {
    when(users.all()).thenReturn(List.of(OLGA));
    when(store.all()).thenAnswer(_ -> List.copyOf(stored));
    doAnswer(it -> stored.add(it.getArgument(0))).when(store).add(any());
    doAnswer(it -> stored.removeIf(one -> one.hash().equals(it.getArgument(0))))
        .when(store)
        .remove(any());
    logins.refresh();
  }

  @Test
  void aSessionEndsTwelveHoursAfterTheLoginEvenIfItIsUsed() {
    String text = logins.begin(OLGA, "127.0.0.1").text();
    for (int half = 0; half < 24; half++) {
      now = NOON.plus(Duration.ofMinutes(30L * half));
      assertThat(logins.find(text)).as("after %d half hours", half).isPresent();
    }
    now = NOON.plus(Duration.ofHours(12)).plusSeconds(1);
    assertThat(logins.find(text)).isEmpty();
    logins.refresh();
    verify(store).removeExpired(now.minus(Duration.ofHours(1)), now.minus(Duration.ofHours(12)));
  }

  @Test
  void toAskWhetherASessionIsValidIsNoUseOfIt() {
    LoggedIn login = logins.begin(OLGA, "127.0.0.1");
    Admitted stream = logins.admit(login);
    now = NOON.plus(Duration.ofMinutes(59));
    assertThat(stream.isStillValid().getAsBoolean()).isTrue();
    now = NOON.plus(Duration.ofMinutes(61));
    assertThat(stream.isStillValid().getAsBoolean()).as("unused for an hour").isFalse();
    assertThat(logins.find(login.text())).isEmpty();
  }

  @Test
  void theSessionsOfAUserAreListedAndEndedByTheirIds() {
    LoggedIn first = logins.begin(OLGA, "10.0.0.1");
    now = NOON.plus(Duration.ofMinutes(10));
    LoggedIn second = logins.begin(OLGA, "x".repeat(200));
    List<ActiveSession> sessions = logins.sessions("olga");
    assertThat(sessions)
        .extracting(ActiveSession::id)
        .containsExactly(ActiveSession.id(second), ActiveSession.id(first));
    assertThat(sessions.getFirst().address()).hasSize(100);
    assertThat(sessions.getLast())
        .isEqualTo(
            new ActiveSession(
                ActiveSession.id(first), NOON, NOON, NOON.plus(Duration.ofHours(1)), "10.0.0.1"));
    assertThat(logins.end("anna", ActiveSession.id(first))).as("of somebody else").isFalse();
    assertThat(logins.end("olga", ActiveSession.id(first))).isTrue();
    assertThat(logins.find(first.text())).isEmpty();
    assertThat(logins.find(second.text())).isPresent();
  }
}
