/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.forebay.service.progress.Unavailable;
import io.forebay.system.StoredUser;
import io.forebay.system.TokenStore;
import io.forebay.system.UserStore;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsersTest {

  private final UserStore store = mock();
  private final Users users = new Users(store);
  private final StoredUser olga =
      new StoredUser("olga", "hash", "operator", true, "test", Instant.EPOCH, List.of());

  @Test
  void aCommandThatWasPerformedSucceedsEvenIfTheDatabaseGoesAwayThen() {
    when(store.add(any())).thenReturn(true);
    when(store.changePassword("olga", "hash", "new")).thenReturn(true);
    when(store.remove("olga")).thenReturn(TokenStore.Removal.REMOVED);
    when(store.all()).thenThrow(new Unavailable("away", new Exception()));
    assertThat(users.add(olga)).isTrue();
    StoredUser changed = users.changePassword(olga, "new").orElseThrow();
    assertThat(changed.password()).isEqualTo("new");
    assertThat(changed.mustChange()).isFalse();
    users.logOut("olga");
    assertThat(users.remove("olga")).isEqualTo(TokenStore.Removal.REMOVED);
  }
}
