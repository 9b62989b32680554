/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.mock.web.MockHttpServletRequest;

class ChunksControllerTest {

  @Test
  void aChunkThatDripsIsGivenUp() {
    AtomicLong now = new AtomicLong();
    MockHttpServletRequest slow =
        new MockHttpServletRequest() {
          @Override
          public ServletInputStream getInputStream() {
            return new DelegatingServletInputStream(super.getInputStream()) {
              @Override
              public int read(byte[] bytes, int offset, int length) throws IOException {
                now.addAndGet(Duration.ofSeconds(5).toNanos());
                return super.read(bytes, offset, Math.min(1, length));
              }
            };
          }
        };
    slow.setContentType("application/json");
    slow.setContent(new byte[100]);
    assertThatThrownBy(() -> ChunksController.body(slow, 100, now::get))
        .isInstanceOf(SocketTimeoutException.class);
  }
}
