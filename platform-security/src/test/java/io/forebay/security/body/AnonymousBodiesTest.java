/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security.body;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.ServletInputStream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class AnonymousBodiesTest {

  @Test
  void aBodyThatCannotBeReadLeavesItsPlace() {
    AnonymousBodies bodies = new AnonymousBodies(1);
    for (int i = 0; i < 2; i++) {
      MockHttpServletRequest request =
          new MockHttpServletRequest("POST", "/") {
            @Override
            public ServletInputStream getInputStream() {
              throw new IllegalStateException("somebody else reads it");
            }
          };
      request.setAsyncSupported(true);
      request.setContent(new byte[10]);
      assertThatThrownBy(() -> bodies.read(request)).hasMessage("somebody else reads it");
    }
  }
}
