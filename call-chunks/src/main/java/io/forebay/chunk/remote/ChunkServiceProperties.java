/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.ChunkOptions;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.Errors;

/**
 * A service that this application calls. It is bound as a value of the map in {@link
 * ChunksProperties}; the annotation only documents its properties, with {@code main} as an example.
 *
 * @param at Where the service is: queue (in another process, over the active backend), or its
 *     address, such as https://crm:8443/api/v1/chunks/customers; none: in this application.
 * @param token Bearer token of calls over HTTP; none: calls have no token.
 * @param allowPlainHttp Whether the token may go to another host without TLS, in plain text.
 * @param partitions Number of partitions of the queues of a service in another process; it must be
 *     the number that the service has.
 * @param maxItems The most calls of a chunk.
 * @param maxInFlight The most chunks that one step sends before it waits for a reply; up to 1000.
 * @param timeout How long to wait for the replies to a chunk.
 */
@ConfigurationProperties("forebay.chunks.services.main")
record ChunkServiceProperties(
    @Nullable String at,
    @Nullable String token,
    @DefaultValue("false") boolean allowPlainHttp,
    @DefaultValue("1") @Min(1) int partitions,
    @DefaultValue("100") @Min(1) int maxItems,
    @DefaultValue("4") @Min(1) @Max(ChunkOptions.MOST_IN_FLIGHT) int maxInFlight,
    @DefaultValue("30s") Duration timeout) {

  private static final String QUEUE = "queue";

  boolean isOverQueue() {
    return QUEUE.equals(at);
  }

  boolean isOverHttp() {
    return at != null && !isOverQueue();
  }

  /** Of a service over HTTP. */
  URI address() {
    return URI.create(String.valueOf(at));
  }

  ChunkOptions options() {
    return ChunkOptions.defaults()
        .withMaxItems(maxItems)
        .withMaxInFlight(maxInFlight)
        .withTimeout(timeout);
  }

  HttpOptions httpOptions() {
    HttpOptions options = HttpOptions.defaults().withTimeout(timeout);
    options = allowPlainHttp ? options.withPlainHttp() : options;
    return token == null ? options : options.withToken(() -> token);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "ChunkServiceProperties[at=%s, maxItems=%d, token=%s]"
        .formatted(at, maxItems, token == null ? "none" : "given");
  }

  /** Adds the violations that annotations cannot express. */
  void check(String name, Errors errors) {
    String field = "services[" + name + "].";
    if (isOverHttp() && !String.valueOf(at).matches("https?://[^/].*")) {
      errors.rejectValue(field + "at", "at", "must be queue, or an address with http or https");
    }
    if (token != null && !isOverHttp()) {
      errors.rejectValue(
          field + "at",
          "token",
          isOverQueue()
              ? "must be an address, because there is a token; a queue needs no token, but backend kafka"
              : "must be an address, because there is a token");
    }
    positive(errors, field + "timeout", timeout);
  }

  private static void positive(Errors errors, String field, Duration duration) {
    if (!duration.isPositive()) {
      errors.rejectValue(field, "positive", "must be more than zero");
    }
  }
}
