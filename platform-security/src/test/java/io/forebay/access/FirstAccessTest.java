/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.StoredToken;
import io.forebay.system.StoredUser;
import io.forebay.system.TokenStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ApplicationEventPublisher;

class FirstAccessTest {

  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");
  private static final List<StoredUser> USERS =
      List.of(new StoredUser("anna", "hash", "admin", false, "test", NOW));

  @TempDir Path directory;

  private final TokenStore store = mock();
  private final Logins logins = mock();
  private final Passwords passwords = new Passwords();
  private final List<StoredToken> stored = new ArrayList<>();
  private final List<Object> shown = new ArrayList<>();
  private final List<Audit.Entry> recorded = new ArrayList<>();
  private final Audit audit =
      new Audit() {
        @Override
        public void record(Entry entry) {
          recorded.add(entry);
        }

        @Override
        public List<Recorded> before(long before, int limit, Filter filter) {
          return recorded.stream().map(entry -> new Recorded(1, NOW, entry)).toList();
        }
      };

  private FirstAccess with(ApplicationEventPublisher events, FirstAccess.Wanted wanted) {
    return new FirstAccess(
        new Tokens(store, mock(TokenFile.class), () -> NOW),
        logins,
        passwords,
        new UnshownCredentials(directory),
        audit,
        events,
        wanted,
        () -> NOW);
  }

  private void store(StoredToken token) {
    stored.add(token);
  }

  private static FirstAccess.Wanted nothing() {
    return new FirstAccess.Wanted(null, null, "");
  }

  private String shownHash() {
    assertThat(shown).hasSize(1);
    return TokenText.hash(((AdminTokenMade) shown.getFirst()).token());
  }

  @Test
  void aTokenIsShownAlsoIfTheDatabaseDidNotSayThatItIsStored() {
    when(store.add(any()))
        .thenAnswer(it -> {
          store(it.getArgument(0));
          throw new Unavailable("the connection broke at the commit", null);
        });
    FirstAccess access = with(shown::add, nothing());
    assertThatThrownBy(() -> access.complete(stored, USERS)).isInstanceOf(Unavailable.class);
    assertThat(shown).isEmpty();
    access.complete(stored, USERS);
    access.complete(stored, USERS);
    assertThat(stored).extracting(StoredToken::hash).containsExactly(shownHash());
  }

  @Test
  void aTokenThatCouldNotBeShownIsShownAtTheNextTurn() {
    when(store.add(any()))
        .thenAnswer(it -> {
          store(it.getArgument(0));
          return true;
        });
    List<String> failures = new ArrayList<>(List.of("disk full"));
    FirstAccess access =
        with(
            event -> {
              if (!failures.isEmpty()) {
                throw new UncheckedIOException(new IOException(failures.removeFirst()));
              }
              shown.add(event);
            },
            nothing());
    assertThatThrownBy(() -> access.complete(stored, USERS)).hasMessageContaining("disk full");
    access.complete(stored, USERS);
    assertThat(stored).extracting(StoredToken::hash).containsExactly(shownHash());
  }

  @Test
  void theTokenOfAnOptionIsMadeAlsoIfTheFirstTryFailed() {
    store(new StoredToken("lost", "00", "admin", List.of(), "test", NOW));
    when(store.add(any())).thenThrow(new Unavailable("it is away", null)).thenReturn(true);
    FirstAccess access = with(shown::add, new FirstAccess.Wanted(null, null, "again"));
    assertThatThrownBy(() -> access.complete(stored, USERS)).isInstanceOf(Unavailable.class);
    access.complete(stored, USERS);
    assertThat(shown).hasSize(1);
  }

  @Test
  void credentialsOfSecretsAreTakenAndNotShown() {
    String token = TokenText.generate();
    String password = "drei Enten am Wehr";
    List<StoredUser> users = new ArrayList<>();
    when(store.add(any()))
        .thenAnswer(it -> {
          store(it.getArgument(0));
          return true;
        });
    when(logins.add(any())).thenAnswer(it -> users.add(it.getArgument(0)));
    with(shown::add, new FirstAccess.Wanted(token, password, "")).complete(List.of(), List.of());
    StoredToken made = stored.getFirst();
    assertThat(made.hash()).isEqualTo(TokenText.hash(token));
    assertThat(made.expiresAt()).isEqualTo(NOW.plus(Duration.ofHours(24)));
    assertThat(passwords.matches(password, users.getFirst().password())).isTrue();
    assertThat(users.getFirst().mustChange()).isTrue();
    assertThat(recorded).extracting(Audit.Entry::action).contains("token.create", "user.create");
    assertThat(shown).isEmpty();
    assertThat(directory).isEmptyDirectory();
    assertThat(new FirstAccess.Wanted(token, password, ""))
        .asString()
        .doesNotContain(token, password);
  }
}
