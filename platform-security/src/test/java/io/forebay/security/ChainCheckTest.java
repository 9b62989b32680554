/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.method.HandlerMethod;

class ChainCheckTest {

  /** A controller of Forebay. */
  static final class Secrets {

    public void read() {}
  }

  @Test
  void aRequestThatNoChainHasSeenReachesNoControllerOfForebay() throws Exception {
    HandlerMethod handler = new HandlerMethod(new Secrets(), "read");
    for (String path : new String[] {"/elsewhere", "/api/v1/tokens"}) {
      MockHttpServletResponse response = new MockHttpServletResponse();
      boolean isAllowed =
          new ChainCheck().preHandle(new MockHttpServletRequest("GET", path), response, handler);
      assertThat(isAllowed).as(path).isFalse();
      assertThat(response.getStatus()).as(path).isEqualTo(403);
    }
  }
}
