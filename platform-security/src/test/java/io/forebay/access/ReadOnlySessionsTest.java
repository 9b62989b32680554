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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Logins while the system database is unavailable, from what was read before. */
class ReadOnlySessionsTest {

  private static final String ADDRESS = "10.0.0.1";
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
    LoggedIn begun = logins.beginReadOnly(logins.userForReading("olga").orElseThrow(), ADDRESS);
    LoggedIn found = logins.find(begun.text()).orElseThrow();
    assertThat(found.readOnly()).isTrue();
    assertThat(found.caller().role()).isEqualTo(Role.VIEWER);
    logins.end(found);
    verifyNoMoreInteractions(users, store);
    assertThat(logins.find(begun.text())).isEmpty();
  }

  @Test
  void aRoleThatReadsNothingStillReadsNothing() {
    assertThat(logins.beginReadOnly(user("robot", "hash", "none"), ADDRESS).caller().role())
        .isEqualTo(Role.NONE);
    assertThat(logins.beginReadOnly(user("new", "hash", "auditor"), ADDRESS).caller().role())
        .isEqualTo(Role.NONE);
  }

  @Test
  void itEndsAnHourAfterUsersWereLastRead() {
    now = now.plus(Duration.ofMinutes(59));
    LoggedIn begun = logins.beginReadOnly(logins.userForReading("olga").orElseThrow(), ADDRESS);
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
    String olga = logins.beginReadOnly(OLGA, ADDRESS).text();
    String carl = logins.beginReadOnly(CARL, ADDRESS).text();
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
    String text = logins.beginReadOnly(OLGA, ADDRESS).text();
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
  void itEndsTwelveHoursAfterTheLoginAlsoIfTheDatabaseRespondsAgainAndItIsUsed() {
    Instant begun = now;
    LoggedIn login = logins.beginReadOnly(OLGA, ADDRESS);
    for (int half = 1; half <= 24; half++) {
      now = begun.plus(Duration.ofMinutes(30L * half));
      logins.refresh();
      assertThat(logins.find(login.text())).as("after %d half hours", half).isPresent();
    }
    now = now.plusSeconds(1);
    assertThat(logins.admit(login).isStillValid().getAsBoolean()).isFalse();
    assertThat(logins.find(login.text())).isEmpty();
  }

  @Test
  void itIsListedAsReadOnlyAndEndedByItsId() {
    LoggedIn login = logins.beginReadOnly(OLGA, "x".repeat(200));
    String id = ActiveSession.id(login);
    Instant end = now.plus(Duration.ofHours(12));
    assertThat(logins.sessions("olga"))
        .containsExactly(new ActiveSession(id, now, now, end, "x".repeat(100), true));
    assertThat(logins.sessions("carl")).isEmpty();
    assertThat(logins.end("carl", id)).as("of somebody else").isFalse();
    when(users.all()).thenThrow(new Unavailable("it is away", null));
    assertThat(logins.end("olga", id)).as("without the database").isTrue();
    assertThat(logins.find(login.text())).isEmpty();
  }

  @Test
  void loggingOutDoesNotWaitForTheDatabase() throws Exception {
    LoggedIn login = logins.beginReadOnly(OLGA, ADDRESS);
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    when(users.all())
        .thenAnswer(_ -> {
          asked.countDown();
          answered.await();
          return List.of(OLGA);
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      threads.submit(logins::refresh);
      assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
      try {
        threads.submit(() -> logins.end(login)).get(10, TimeUnit.SECONDS);
      } finally {
        answered.countDown();
      }
    }
    assertThat(logins.find(login.text())).isEmpty();
  }

  @Test
  void aUserHasAtMostTwenty() {
    String first = logins.beginReadOnly(OLGA, ADDRESS).text();
    for (int i = 0; i < Logins.SESSIONS_OF_A_USER; i++) {
      now = now.plusSeconds(1);
      logins.beginReadOnly(OLGA, ADDRESS);
    }
    assertThat(logins.find(first)).isEmpty();
  }
}
