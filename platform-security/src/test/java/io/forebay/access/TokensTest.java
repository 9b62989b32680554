/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.forebay.system.StoredToken;
import io.forebay.system.TokenStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class TokensTest {

  @TempDir Path directory;

  private final TokenStore store = mock();
  private final String text = TokenText.generate();
  private Instant now = Instant.now();

  private Tokens start() {
    Tokens tokens =
        new Tokens(
            store, new TokenFile(directory, JsonMapper.shared()), Duration.ofHours(24), () -> now);
    tokens.restore();
    return tokens;
  }

  @Test
  void tokensThatCannotBeReadAgainHaveAMaximumAgeAlsoAfterARestart() {
    when(store.all())
        .thenReturn(
            List.of(
                new StoredToken(
                    "shop",
                    TokenText.hash(text),
                    "admin",
                    List.of(),
                    "test",
                    now,
                    now.plus(Duration.ofDays(30)))));
    Tokens tokens = start();
    assertThat(tokens.areOutdated()).as("nothing was read").isTrue();
    tokens.refresh();
    Admitted caller = tokens.admit(text).orElseThrow();
    now = now.plus(Duration.ofHours(23));
    assertThat(tokens.admit(text)).isPresent();
    assertThat(start().admit(text)).as("after a restart").isPresent();
    now = now.plus(Duration.ofHours(2));
    for (Tokens each : List.of(tokens, start())) {
      assertThat(each.areOutdated()).isTrue();
      assertThat(each.admit(text)).isEmpty();
    }
    assertThat(caller.isStillValid().getAsBoolean()).as("an open stream ends").isFalse();
    tokens.refresh();
    assertThat(tokens.admit(text)).isPresent();
  }
}
