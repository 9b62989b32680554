/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forebay.web.Problem;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.mock.web.MockHttpServletRequest;

class BodyTest {

  private static final int MAX = 100_000;

  private static MockHttpServletRequest request(int length) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setContentType("application/json");
    request.setContent(" ".repeat(length).getBytes());
    return request;
  }

  @Test
  void aBodyThatDripsIsGivenUpAndItsBytesAreGivenBack() {
    ByteBudget budget = new ByteBudget(MAX);
    AtomicLong now = new AtomicLong();
    MockHttpServletRequest slow =
        new MockHttpServletRequest() {
          @Override
          public ServletInputStream getInputStream() {
            return new DelegatingServletInputStream(super.getInputStream()) {
              @Override
              public int read(byte[] bytes, int offset, int length) throws IOException {
                now.addAndGet(Duration.ofSeconds(5).toNanos());
                return super.read(bytes, offset, Math.min(1_000, length));
              }
            };
          }
        };
    slow.setContentType("application/json");
    slow.setContent(new byte[MAX]);
    assertThatThrownBy(() -> Body.read(slow, MAX, budget, now::get))
        .isInstanceOf(SocketTimeoutException.class);
    assertThat(Duration.ofNanos(now.get())).isEqualTo(Duration.ofSeconds(65));
    assertThat(budget.take(1)).isNotNull();
    assertThat(budget.take(MAX)).as("all memory is given back").isNotNull();
  }

  @Test
  void aRefusalSaysWhoseBodiesTakeTheMemory() throws Exception {
    ByteBudget whole = new ByteBudget(3 * MAX / 2);
    ByteBudget part = whole.part(MAX);
    try (Body _ = Body.read(request(MAX), MAX, part)) {
      assertThat(refusal(part))
          .isEqualTo(
              "Bodies of other requests of this caller take the memory there is for them;"
                  + " nothing was accepted; try again later (limit=100000)");
      assertThat(refusal(whole.part(MAX)))
          .isEqualTo(
              "Bodies of other requests take the memory there is for them;"
                  + " nothing was accepted; try again later (limit=150000)");
    }
    Body.read(request(MAX), MAX, part).close();
  }

  private static String refusal(ByteBudget budget) {
    Problem refused =
        catchThrowableOfType(Problem.class, () -> Body.read(request(MAX), MAX, budget));
    return "%s (limit=%s)"
        .formatted(
            refused.getBody().getDetail(), refused.getBody().getProperties().get("limitBytes"));
  }
}
