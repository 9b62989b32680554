/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.forebay.access.Logins;
import io.forebay.access.Passwords;
import io.forebay.access.TooManyLogins;
import io.forebay.access.limits.BackOff;
import io.forebay.operations.Audit;
import io.forebay.security.body.AnonymousBodies;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.StoredUser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class SessionControllerTest {

  private static final int FREE = 3;

  private final Logins logins = mock();
  private final Passwords passwords = mock();
  private final SessionController controller =
      new SessionController(
          logins,
          passwords,
          new BackOff(FREE, InstantSource.system()),
          Audit.none(),
          new AnonymousBodies());

  private int login() throws IOException {
    MockHttpServletRequest request = new MockHttpServletRequest("POST", "/admin/api/v1/login");
    request.setAttribute(
        AnonymousBodies.ARRIVED,
        "{\"user\":\"olga\",\"password\":\"a guess\"}".getBytes(StandardCharsets.UTF_8));
    return Objects.requireNonNull(controller.login(request)).getStatusCode().value();
  }

  @Test
  void anAddressThatHasToWaitCostsNeitherAQueryNorAHash() throws Exception {
    when(logins.user(any())).thenReturn(Optional.empty());
    for (int i = 0; i < FREE; i++) {
      assertThat(login()).isEqualTo(401);
    }
    verify(passwords, times(FREE)).matches(any(), any());
    clearInvocations(logins, passwords);
    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(this::login).isInstanceOf(TooManyLogins.class);
    }
    verifyNoInteractions(logins, passwords);
  }

  @Test
  void attemptsWhileTheDatabaseIsAwayDoNotCount() throws Exception {
    when(logins.user(any())).thenThrow(new Unavailable("it is away", null));
    for (int i = 0; i < 10 * FREE; i++) {
      assertThat(login()).as("nobody can log in").isEqualTo(503);
    }
    verifyNoInteractions(passwords);
    doReturn(Optional.empty()).when(logins).user(any());
    assertThat(login()).isEqualTo(401);
  }

  @Test
  void aNameThatOnlyTheDatabaseTakesForThatOfAUserIsUnknown() throws Exception {
    StoredUser padded = new StoredUser("olga ", "hash", "admin", false, "test", Instant.EPOCH);
    when(logins.user("olga")).thenReturn(Optional.of(padded));
    assertThat(login()).isEqualTo(401);
    verify(passwords).matches("a guess", null);
  }
}
