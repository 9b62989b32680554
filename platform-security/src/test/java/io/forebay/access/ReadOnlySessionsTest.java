/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;

import io.forebay.service.progress.Unavailable;
import io.forebay.system.SessionStore;
import io.forebay.system.StoredUser;
import io.forebay.system.UserStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Logins while the system database is unavailable, from what was read before. */
class ReadOnlySessionsTest {

  private static final StoredUser OLGA = user("olga", "hash", "admin");
  private static final StoredUser CARL = user("carl", "hash of carl", "operator");

  private final UserStore users = mock();
  private final SessionStore store = mock();
  private Instant now = Instant.parse("2026-11-27T03:00:00Z");
  private final Logins logins =
      new Logins(
          users, store, Duration.ofHours(12), Duration.ofHours(12), Duration.ofHours(1), () -> now);

  private static StoredUser user(String name, String hash, String role) {
    return new StoredUser(name, hash, role, false, "test", Instant.EPOCH);
  }

  @BeforeEach
  void usersAreRead() {
    when(users.all()).thenReturn(List.of(OLGA, CARL));
    logins.refresh();
    verify(users).all();
    verify(store).all();
  }

  @Test
  void aSessionOnlyReadsAndNothingIsStored() {
    LoggedIn begun = logins.beginReadOnly(logins.userForReading("olga").orElseThrow());
    LoggedIn found = logins.find(begun.text()).orElseThrow();
    assertThat(found.readOnly()).isTrue();
    assertThat(found.caller().role()).isEqualTo(Role.VIEWER);
    logins.end(found);
    verifyNoMoreInteractions(users, store);
    assertThat(logins.find(begun.text())).isEmpty();
  }

  @Test
  void aRoleThatReadsNothingStillReadsNothing() {
    assertThat(logins.beginReadOnly(user("robot", "hash", "none")).caller().role())
        .isEqualTo(Role.NONE);
    assertThat(logins.beginReadOnly(user("new", "hash", "auditor")).caller().role())
        .isEqualTo(Role.NONE);
  }

  @Test
  void itEndsAnHourAfterUsersWereLastRead() {
    now = now.plus(Duration.ofMinutes(59));
    LoggedIn begun = logins.beginReadOnly(logins.userForReading("olga").orElseThrow());
    assertThat(logins.find(begun.text())).isPresent();
    Admitted stream = logins.admit(begun);
    assertThat(stream.isStillValid().getAsBoolean()).isTrue();
    now = now.plus(Duration.ofMinutes(1));
    assertThat(stream.isStillValid().getAsBoolean()).isFalse();
    assertThat(logins.mayReadOnly()).isFalse();
    assertThat(logins.userForReading("olga")).isEmpty();
    assertThat(logins.find(begun.text())).isEmpty();
  }

  @Test
  void itStaysReadOnlyWhenUsersAreReadAgainAndEndsIfTheUserHasChanged() {
    String olga = logins.beginReadOnly(OLGA).text();
    String carl = logins.beginReadOnly(CARL).text();
    when(users.all()).thenReturn(List.of(user("olga", "another hash", "admin"), CARL));
    logins.refresh();
    assertThat(logins.find(olga)).isEmpty();
    assertThat(logins.find(carl).orElseThrow().readOnly()).isTrue();
    when(users.all()).thenReturn(List.of(user("carl", "hash of carl", "viewer")));
    logins.refresh();
    assertThat(logins.find(carl)).isEmpty();
  }

  @Test
  void aChangeHereIsKnownAtOnceEvenIfItsOutcomeIsNot() {
    String text = logins.beginReadOnly(OLGA).text();
    when(users.changePassword(any(), any(), any())).thenThrow(new Unavailable("it is away", null));
    assertThatThrownBy(() -> logins.changePassword(new LoggedIn(OLGA, "", false), "another hash"))
        .isInstanceOf(Unavailable.class);
    assertThat(logins.userForReading("olga")).isEmpty();
    assertThat(logins.find(text)).isEmpty();
    when(users.remove("carl")).thenThrow(new Unavailable("it is away", null));
    assertThatThrownBy(() -> logins.remove("carl")).isInstanceOf(Unavailable.class);
    assertThat(logins.userForReading("carl")).isEmpty();
  }

  @Test
  void aUserHasAtMostTwenty() {
    String first = logins.beginReadOnly(OLGA).text();
    for (int i = 0; i < Logins.SESSIONS_OF_A_USER; i++) {
      now = now.plusSeconds(1);
      logins.beginReadOnly(OLGA);
    }
    assertThat(logins.find(first)).isEmpty();
  }
}
