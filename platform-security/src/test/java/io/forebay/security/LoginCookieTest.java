/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.forebay.access.Users;
import io.forebay.operations.KnownCaller;
import io.forebay.system.StoredUser;
import io.forebay.system.UserStore;
import jakarta.servlet.http.Cookie;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.core.Authentication;

class LoginCookieTest {

  private final UserStore store = mock();
  private final Users users = new Users(store);
  private final LoginCookie cookie = new LoginCookie(users, Duration.ofHours(12));

  private static StoredUser olga(String password, String role, int logouts) {
    return new StoredUser("olga", password, role, false, "test", Instant.EPOCH, List.of(), logouts);
  }

  @BeforeEach
  void knowOlga() {
    when(store.secret()).thenReturn("secret");
    know(olga("hash", "operator", 0));
  }

  private void know(StoredUser user) {
    when(store.all()).thenReturn(List.of(user));
    users.refresh();
  }

  private String login(StoredUser user) {
    Account account = Account.ofPassword(user, Instant.now().plusSeconds(60));
    MockHttpServletResponse response = new MockHttpServletResponse();
    cookie.loginSuccess(new MockHttpServletRequest(), response, account.login(users));
    Cookie set = response.getCookie("forebay-session");
    assertThat(set).isNotNull();
    return set.getValue();
  }

  private @Nullable Authentication present(LoginCookie instance, String value) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setCookies(new Cookie("forebay-session", value));
    MockHttpServletResponse response = new MockHttpServletResponse();
    Authentication login = instance.autoLogin(request, response);
    assertThat(response.getCookies()).as("another instance may accept it").isEmpty();
    return login;
  }

  /** A cookie that is signed as Spring Security does. */
  private static String signed(Instant until, String secret) throws Exception {
    String end = Long.toString(until.toEpochMilli());
    byte[] digest =
        MessageDigest.getInstance("SHA-256")
            .digest("olga:%s:hash 0:%s".formatted(end, secret).getBytes(StandardCharsets.UTF_8));
    return Base64.getEncoder()
        .encodeToString(
            "olga:%s:SHA256:%s"
                .formatted(end, HexFormat.of().formatHex(digest))
                .getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void eachInstanceAcceptsALoginUntilItsEndAndNoOtherSecret() throws Exception {
    String login = login(olga("hash", "operator", 0));
    LoginCookie other = new LoginCookie(users, Duration.ofHours(1));
    assertThat(present(cookie, login)).isNotNull();
    assertThat(present(other, login)).isNotNull();

    Instant now = Instant.now();
    assertThat(present(cookie, signed(now.plusSeconds(60), "secret"))).isNotNull();
    assertThat(present(cookie, signed(now.minusSeconds(1), "secret"))).isNull();
    assertThat(present(cookie, signed(now.plusSeconds(60), "another"))).isNull();
    assertThat(present(cookie, signed(now.plusSeconds(60), ""))).isNull();
  }

  @Test
  void aNewPasswordALogoutAndADeletionEndALoginAndWhatItHasOpen() {
    String login = login(olga("hash", "operator", 0));
    KnownCaller open = (KnownCaller) present(cookie, login);
    assertThat(open.isStillAdmitted()).isTrue();
    for (StoredUser changed : List.of(olga("other", "operator", 0), olga("hash", "operator", 1))) {
      know(changed);
      assertThat(present(cookie, login)).isNull();
      assertThat(open.isStillAdmitted()).isFalse();
    }
    know(olga("hash", "viewer", 0));
    assertThat(present(cookie, login)).isNotNull();
    assertThat(open.isStillAdmitted()).as("another role").isFalse();
    when(store.all()).thenReturn(List.of());
    users.refresh();
    assertThat(present(cookie, login)).isNull();
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Spring's own services throw for some of these, or tell which users exist. */
  @Test
  void noMadeUpCookieThrowsOrIsALogin() {
    for (String made :
        List.of(
            "",
            "%",
            encoded("%zz:1:2"),
            encoded("olga"),
            encoded("olga:9999999999999:X:y"),
            encoded("nobody:9999999999999:X:y"),
            encoded("olga:9999999999999:MD5:y"),
            encoded("olga:9999999999999:SHA256:y"),
            encoded("olga:never:SHA256:y"))) {
      assertThat(present(cookie, made)).as(made).isNull();
    }
  }

  @Test
  void aLoginInFlightIsSignedWithThePasswordThatWasChecked() {
    know(olga("new", "operator", 0));
    assertThat(present(cookie, login(olga("hash", "operator", 0)))).isNull();
    assertThat(present(cookie, login(olga("new", "operator", 0)))).isNotNull();
  }
}
