/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static java.net.HttpURLConnection.HTTP_CONFLICT;

import io.forebay.operations.failures.DeadLetters;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.ReplayRefused;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Lists and replays dead letters: {@code GET /actuator/deadletters}, {@code POST
 * /actuator/deadletters/{id}}. For applications without the admin API.
 */
@Endpoint(id = "deadletters")
final class DeadLettersEndpoint {

  private static final int LIMIT = 100;

  private final DeadLetters letters;

  DeadLettersEndpoint(DeadLetters letters) {
    this.letters = letters;
  }

  @ReadOperation
  Failures.Page list(@Nullable String service, @Nullable String before) {
    return letters.list(service, before, LIMIT);
  }

  @ReadOperation
  @Nullable Failure one(@Selector String id) {
    try {
      return letters.find(id).orElse(null);
    } catch (IllegalArgumentException e) {
      throw invalid(e);
    }
  }

  /** Status 404 for a letter that does not exist, and 409 for a replay that is refused. */
  @WriteOperation
  WebEndpointResponse<Object> replay(@Selector String id) {
    try {
      return letters
          .replay(id, "actuator")
          .map(letter -> new WebEndpointResponse<Object>(letter))
          .orElseGet(() -> new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND));
    } catch (IllegalArgumentException e) {
      throw invalid(e);
    } catch (ReplayRefused e) {
      return new WebEndpointResponse<>(
          Map.of("detail", String.valueOf(e.getMessage())), HTTP_CONFLICT);
    }
  }

  private static InvalidEndpointRequestException invalid(IllegalArgumentException e) {
    String reason = String.valueOf(e.getMessage());
    return new InvalidEndpointRequestException(reason, reason);
  }
}
