/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.forebay.access.Logins;
import io.forebay.access.TooManyLogins;
import io.forebay.access.limits.BackOff;
import io.forebay.access.limits.LoginLimits;
import io.forebay.access.oidc.JwtCheck;
import io.forebay.access.oidc.OidcLogin;
import io.forebay.operations.Audit;
import java.io.IOException;
import java.time.Instant;
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
        given,
        mock(Logins.class),
        new LoginLimits(FREE, () -> Instant.EPOCH),
        Audit.none(),
        new Problems(new BackOff(FREE, () -> Instant.EPOCH)));
  }

  private static int callback(OidcController controller, String address) throws IOException {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setRemoteAddr(address);
    MockHttpServletResponse response = new MockHttpServletResponse();
    controller.callback(request, response);
    return response.getStatus();
  }

  @Test
  void anAddressThatMakesCodesUpHasToWaitAndAsksTheProviderNoMore() throws Exception {
    when(login.finish(any(), any())).thenReturn(new JwtCheck.Wrong("it is made up"));
    OidcController controller = controller(login);
    for (int i = 0; i < FREE; i++) {
      assertThat(callback(controller, "203.0.113.9")).isEqualTo(401);
    }
    assertThatThrownBy(() -> callback(controller, "203.0.113.9")).isInstanceOf(TooManyLogins.class);
    verify(login, times(FREE)).finish(any(), any());
    assertThat(callback(controller, "203.0.113.10")).as("another address").isEqualTo(401);
  }

  @Test
  void whileTheProviderIsAwayALoginIsRefusedWithoutBeingCounted() throws Exception {
    when(login.finish(any(), any())).thenReturn(new JwtCheck.Unchecked());
    OidcController controller = controller(login);
    for (int i = 0; i < 2 * FREE; i++) {
      assertThat(callback(controller, "203.0.113.9")).isEqualTo(503);
    }
    MockHttpServletResponse response = new MockHttpServletResponse();
    when(login.begin(any())).thenReturn(java.util.Optional.empty());
    controller.login(new MockHttpServletRequest(), response);
    assertThat(response.getStatus()).isEqualTo(503);
    assertThat(response.getHeader("Retry-After")).isNotNull();
  }

  @Test
  void withoutAProviderThereIsNoLoginWithOne() {
    OidcController controller = controller(null);
    assertThat(controller.offer().login()).isFalse();
    assertThatThrownBy(() -> callback(controller, "203.0.113.9"))
        .isInstanceOf(ResponseStatusException.class);
  }
}
