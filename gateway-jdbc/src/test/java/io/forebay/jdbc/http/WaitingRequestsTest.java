/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.web.Problem;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class WaitingRequestsTest {

  private final WaitingRequests waiting = new WaitingRequests(Duration.ofMinutes(10), 1);

  @Test
  void waitingEndsWhenTheServiceStops() throws Exception {
    waiting.start();
    WaitingRequests.Permit permit = waiting.enter(request("600s"));
    FutureTask<String> waiter = new FutureTask<>(() -> permit.await(new CompletableFuture<>()));
    Thread.ofVirtual().start(waiter);
    assertThatThrownBy(() -> waiter.get(500, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    waiting.stop();

    assertThatThrownBy(() -> waiter.get(120, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TimeoutException.class);
  }

  @Test
  void aResultEndsTheWait() throws Exception {
    waiting.start();
    try (WaitingRequests.Permit permit = waiting.enter(request("600s"))) {
      CompletableFuture<String> result = new CompletableFuture<>();
      Thread.ofVirtual().start(() -> result.complete("done"));
      assertThat(permit.await(result)).isEqualTo("done");
    }
  }

  @Test
  void aPlaceIsReleasedAfterTheWait() {
    waiting.start();
    waiting.enter(request("1s")).close();
    WaitingRequests.Permit permit = waiting.enter(request("1s"));
    assertThatThrownBy(() -> waiting.enter(request("1s")))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("wait");
    permit.close();
  }

  private static MockHttpServletRequest request(String wait) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setQueryString("wait=" + wait);
    request.setParameter("wait", wait);
    return request;
  }
}
