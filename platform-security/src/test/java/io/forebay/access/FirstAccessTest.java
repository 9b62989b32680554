/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.StoredToken;
import io.forebay.system.StoredUser;
import io.forebay.system.TokenStore;
import io.forebay.system.UserStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstAccessTest {

  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");

  @TempDir Path directory;

  private final TokenStore store = mock();
  private final UserStore userStore = mock();
  private final Passwords passwords = new Passwords();
  private final List<StoredToken> stored = new ArrayList<>();
  private final List<StoredUser> storedUsers = new ArrayList<>();
  private final List<Audit.Entry> recorded = new ArrayList<>();
  private final Audit audit = mock();

  @BeforeEach
  void keepWhatIsStored() {
    doAnswer(it -> recorded.add(it.getArgument(0))).when(audit).record(any());
    when(store.add(any())).thenAnswer(it -> stored.add(it.getArgument(0)));
    when(userStore.add(any())).thenAnswer(it -> storedUsers.add(it.getArgument(0)));
    when(userStore.all()).thenReturn(storedUsers);
    when(userStore.secret()).thenReturn("secret");
  }

  private void start(FirstAccess.Wanted wanted) {
    Tokens tokens = new Tokens(store, mock(TokenFile.class), Duration.ofDays(1), () -> NOW);
    new FirstAccess(tokens, new Users(userStore), passwords, audit, directory, wanted, () -> NOW)
        .complete(List.copyOf(stored), List.copyOf(storedUsers));
  }

  private void start() {
    start(new FirstAccess.Wanted(null, ""));
  }

  private String written(String name) throws IOException {
    return Files.readAllLines(directory.resolve("admin-credentials")).stream()
        .filter(line -> line.startsWith(name + "="))
        .map(line -> line.substring(name.length() + 1))
        .collect(Collectors.joining());
  }

  @Test
  void theFirstTokenAndPasswordAreInAFileThatOnlyTheUserOfTheProcessReads() throws Exception {
    start();
    start();
    assertThat(stored)
        .singleElement()
        .returns(TokenText.hash(written("TOKEN")), StoredToken::hash)
        .returns(NOW.plus(Duration.ofHours(24)), StoredToken::expiresAt);
    assertThat(storedUsers).hasSize(1);
    assertThat(passwords.matches(written("PASSWORD"), storedUsers.getFirst().password())).isTrue();
    assertThat(storedUsers.getFirst().mustChange()).isTrue();
    assertThat(Files.getPosixFilePermissions(directory.resolve("admin-credentials")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(recorded).extracting(Audit.Entry::action).contains("token.create", "user.create");
  }

  @Test
  void theFileHasTheTokenBeforeItIsStoredSoThatAKillLosesNone() throws Exception {
    doAnswer(
            it -> {
              StoredToken token = it.getArgument(0);
              assertThat(TokenText.hash(written("TOKEN"))).isEqualTo(token.hash());
              stored.add(token);
              throw new Unavailable("the connection broke at the commit", null);
            })
        .when(store)
        .add(any());
    assertThatThrownBy(this::start).isInstanceOf(Unavailable.class);
    start();
    assertThat(stored)
        .extracting(StoredToken::hash)
        .containsExactly(TokenText.hash(written("TOKEN")));
  }

  @Test
  void theFileLacksATokenThatAnotherInstanceMadeAtTheSameTime() throws Exception {
    doReturn(false).when(store).add(any());
    start();
    assertThat(written("TOKEN")).isEmpty();
    assertThat(written("PASSWORD")).isNotEmpty();
  }

  @Test
  void theTokenOfAnOptionIsMadeAlsoIfTheFirstTryFailedAndOnlyOnce() throws Exception {
    stored.add(new StoredToken("lost", "00", "admin", List.of(), "test", NOW, NOW));
    FirstAccess.Wanted again = new FirstAccess.Wanted(null, "again");
    doThrow(new Unavailable("it is away", null))
        .doAnswer(it -> stored.add(it.getArgument(0)))
        .when(store)
        .add(any());
    assertThatThrownBy(() -> start(again)).isInstanceOf(Unavailable.class);
    start(again);
    start(again);
    assertThat(stored).extracting(StoredToken::name).containsExactly("lost", "admin-again");
    assertThat(stored.getLast().hash()).isEqualTo(TokenText.hash(written("TOKEN")));
  }

  @Test
  void theTokenOfASecretIsTakenAndInNoFile() {
    String token = TokenText.generate();
    FirstAccess.Wanted wanted = new FirstAccess.Wanted(token, "");
    start(wanted);
    assertThat(stored).extracting(StoredToken::hash).containsExactly(TokenText.hash(token));
    assertThat(directory.resolve("admin-credentials")).content().doesNotContain("TOKEN", token);
    assertThat(wanted).asString().doesNotContain(token);
  }
}
