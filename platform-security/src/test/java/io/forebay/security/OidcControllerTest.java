/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.forebay.access.Logins;
import io.forebay.access.limits.BackOff;
import io.forebay.access.oidc.JwtCheck;
import io.forebay.access.oidc.OidcLogin;
import io.forebay.access.oidc.OidcLogin.Begun;
import io.forebay.access.oidc.OidcLogin.Pending;
import io.forebay.operations.Audit;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.server.ResponseStatusException;

/** What OpenIdApiTest cannot provoke with a real provider. */
class OidcControllerTest {

  private static final int FREE = 20;

  private final OidcLogin login = mock();

  private OidcController controller(OidcLogin provider) {
    ObjectProvider<OidcLogin> given = mock();
    when(given.getIfAvailable()).thenReturn(provider);
    return new OidcController(
        given, mock(Logins.class), new BackOff(FREE, () -> Instant.EPOCH), Audit.none());
  }

  private void begun() {
    when(login.pending(any(), any())).thenReturn(Optional.of(new Pending("s", "n", "v", "r")));
  }

  /** Where the browser is sent to. */
  private static String callback(OidcController controller, String address) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setRemoteAddr(address);
    MockHttpServletResponse response = new MockHttpServletResponse();
    controller.callback(request, response);
    assertThat(response.getStatus()).isEqualTo(302);
    return response.getHeader("Location");
  }

  @Test
  void anAddressThatMakesCodesUpHasToWaitAndAsksTheProviderNoMore() {
    begun();
    when(login.finish(any(), any())).thenReturn(new JwtCheck.Wrong("it is made up"));
    OidcController controller = controller(login);
    for (int i = 0; i < FREE; i++) {
      assertThat(callback(controller, "203.0.113.9")).isEqualTo("/admin/?login=not_confirmed");
    }
    assertThat(callback(controller, "203.0.113.9")).isEqualTo("/admin/?login=too_many");
    verify(login, times(FREE)).finish(any(), any());
    assertThat(callback(controller, "203.0.113.10"))
        .as("another address")
        .isEqualTo("/admin/?login=not_confirmed");
  }

  /** Another site can make a browser send such requests; they must not lock its user out. */
  @Test
  void aCallbackWithoutALoginOfThisBrowserIsNotCounted() {
    when(login.pending(any(), any())).thenReturn(Optional.empty());
    OidcController controller = controller(login);
    for (int i = 0; i < 2 * FREE; i++) {
      assertThat(callback(controller, "203.0.113.9")).isEqualTo("/admin/?login=not_begun");
    }
    verify(login, never()).finish(any(), any());
    begun();
    when(login.finish(any(), any())).thenReturn(new JwtCheck.Wrong("it is made up"));
    assertThat(callback(controller, "203.0.113.9")).isEqualTo("/admin/?login=not_confirmed");
  }

  @Test
  void whileTheProviderIsAwayALoginIsRefusedWithoutBeingCounted() {
    begun();
    when(login.finish(any(), any())).thenReturn(new JwtCheck.Unchecked());
    OidcController controller = controller(login);
    for (int i = 0; i < 2 * FREE; i++) {
      assertThat(callback(controller, "203.0.113.9")).isEqualTo("/admin/?login=provider_away");
    }
    MockHttpServletResponse response = new MockHttpServletResponse();
    when(login.begin(any())).thenReturn(Optional.empty());
    controller.login(new MockHttpServletRequest(), response);
    assertThat(response.getHeader("Location")).isEqualTo("/admin/?login=provider_away");
  }

  /** Another host, or a page without TLS, can neither set nor get such a cookie. */
  @Test
  void overTlsTheCookieOfALoginBelongsToThisHostOnly() {
    when(login.begin(any())).thenReturn(Optional.of(new Begun("https://login.example/", "x")));
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setSecure(true);
    MockHttpServletResponse response = new MockHttpServletResponse();
    controller(login).login(request, response);
    assertThat(response.getHeader("Set-Cookie"))
        .startsWith("__Host-forebay-login=x; Path=/; ")
        .contains("; Secure; HttpOnly; SameSite=Lax", "Max-Age=600")
        .doesNotContain("Domain");
  }

  @Test
  void withoutAProviderThereIsNoLoginWithOne() {
    OidcController controller = controller(null);
    assertThat(controller.offer().login()).isFalse();
    assertThatThrownBy(() -> callback(controller, "203.0.113.9"))
        .isInstanceOf(ResponseStatusException.class);
  }
}
