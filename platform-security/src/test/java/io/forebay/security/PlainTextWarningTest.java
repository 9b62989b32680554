/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.access.Admitted;
import io.forebay.access.Role;
import io.forebay.access.TokenOwner;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.core.context.SecurityContextHolder;

@ExtendWith(OutputCaptureExtension.class)
class PlainTextWarningTest {

  private final RefusalFilter filter = new RefusalFilter(new Refusals(Audit.none()), true);

  @AfterEach
  void forget() {
    SecurityContextHolder.clearContext();
  }

  private void request(String address, boolean secure) throws Exception {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/v1/status");
    request.setRemoteAddr(address);
    request.setSecure(secure);
    filter.doFilter(request, new MockHttpServletResponse(), new MockFilterChain());
  }

  @Test
  void credentialsInPlainTextFromAnotherHostAreWarnedOfOnce(CapturedOutput output)
      throws Exception {
    request("192.0.2.1", false);
    SecurityContextHolder.getContext()
        .setAuthentication(
            new CallerAuthentication(
                new Admitted(
                    Actor.Kind.TOKEN, new TokenOwner("shop", Role.NONE, List.of()), () -> true)));
    request("127.0.0.1", false);
    request("192.0.2.1", true);
    assertThat(output).doesNotContain("plain text");
    request("192.0.2.2", false);
    request("192.0.2.3", false);
    assertThat(output)
        .containsOnlyOnce("plain text")
        .contains("in plain text (a caller at 192.0.2.2)");
  }
}
