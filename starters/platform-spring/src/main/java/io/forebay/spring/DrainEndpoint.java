/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.Services;
import java.net.HttpURLConnection;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Drains services before queues of another backend replace theirs: {@code POST
 * /actuator/drain/{service}}; {@code GET /actuator/drain} shows which are drained. For applications
 * without the admin API.
 */
@Endpoint(id = "drain")
final class DrainEndpoint {

  private final Services services;

  DrainEndpoint(Services services) {
    this.services = services;
  }

  /** The states of all services, such as {@code drained}, by name. */
  @ReadOperation
  Map<String, String> states() {
    return services.all().stream()
        .collect(
            Collectors.toMap(
                it -> it.name(), it -> it.view().state().phase().name().toLowerCase(Locale.ROOT)));
  }

  /** Begins to drain, and does not wait; 404 or 409 with the reason if it cannot. */
  @WriteOperation
  WebEndpointResponse<Map<String, String>> drain(@Selector String service)
      throws InterruptedException {
    try {
      services.drain(service, "", "actuator");
      return new WebEndpointResponse<>(states());
    } catch (IllegalArgumentException e) {
      return refused(e, WebEndpointResponse.STATUS_NOT_FOUND);
    } catch (IllegalStateException e) {
      return refused(e, HttpURLConnection.HTTP_CONFLICT);
    }
  }

  private static WebEndpointResponse<Map<String, String>> refused(
      RuntimeException why, int status) {
    return new WebEndpointResponse<>(Map.of("detail", String.valueOf(why.getMessage())), status);
  }
}
