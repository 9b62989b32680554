/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static java.net.HttpURLConnection.HTTP_CONFLICT;

import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failures;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Lists and replays failed messages: {@code GET /actuator/failed}, {@code POST
 * /actuator/failed/{id}}. For applications without the admin API.
 */
@Endpoint(id = "failed")
final class FailedMessagesEndpoint {

  private static final int LIMIT = 100;

  private final Failures failures;

  FailedMessagesEndpoint(Failures failures) {
    this.failures = failures;
  }

  @ReadOperation
  WebEndpointResponse<Object> list(@Nullable String service, @Nullable String before) {
    return answer(() -> Optional.of(failures.list(service, before, LIMIT)));
  }

  @ReadOperation
  WebEndpointResponse<Object> one(@Selector String id) {
    return answer(() -> failures.find(id));
  }

  @WriteOperation
  WebEndpointResponse<Object> replay(@Selector String id) {
    return answer(() -> failures.replay(id, "actuator"));
  }

  /**
   * Status 404 for a message that does not exist, 400 for a wrong parameter, and 409 for a replay
   * that is refused; the last two with their reason.
   */
  private static WebEndpointResponse<Object> answer(Supplier<Optional<?>> answer) {
    try {
      return answer
          .get()
          .map(found -> new WebEndpointResponse<Object>(found))
          .orElseGet(() -> new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND));
    } catch (IllegalArgumentException e) {
      return refused(e, WebEndpointResponse.STATUS_BAD_REQUEST);
    } catch (DecisionRefused e) {
      return refused(e, HTTP_CONFLICT);
    }
  }

  private static WebEndpointResponse<Object> refused(RuntimeException reason, int status) {
    return new WebEndpointResponse<>(Map.of("detail", String.valueOf(reason.getMessage())), status);
  }
}
