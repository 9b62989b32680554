/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.text.Formats;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The answer of a server to a chunk: replies, a refusal with a retry time, or a failure. */
final class HttpAnswer {

  private static final String PREFIX = "urn:forebay:problem:";
  static final String SERVICE_FAILED = PREFIX + "service-failed";
  static final String CHUNK_REFUSED = PREFIX + "chunk-refused";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final int OK = 200;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVICE_UNAVAILABLE = 503;

  /** Status codes that by RFC 9110 and RFC 6585 mean that the request was not performed. */
  private static final Set<Integer> REFUSALS =
      Set.of(400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, TOO_MANY_REQUESTS, 431);

  private final URI address;
  private final int status;
  private final byte[] body;
  private final @Nullable Duration retryAfter;
  private final JsonNode problem;

  private HttpAnswer(HttpResponse<byte[]> response) {
    address = response.uri();
    status = response.statusCode();
    body = response.body();
    problem = problem(response);
    Duration pause = pause(response.headers().firstValue("Retry-After").orElse(""));
    retryAfter =
        status == TOO_MANY_REQUESTS || status == SERVICE_UNAVAILABLE && is(CHUNK_REFUSED)
            ? pause
            : null;
  }

  /**
   * @throws ServiceFailed if the service failed the chunk
   * @throws TransportFailed if the answer is neither replies nor a refusal with a retry time
   */
  static HttpAnswer of(HttpResponse<byte[]> response) throws TransportFailed {
    HttpAnswer answer = new HttpAnswer(response);
    if (answer.status == OK || answer.retryAfter != null) {
      return answer;
    }
    if (answer.is(SERVICE_FAILED)) {
      throw answer.serviceFailed();
    }
    throw answer.refused();
  }

  private static JsonNode problem(HttpResponse<byte[]> response) {
    String type = response.headers().firstValue("Content-Type").orElse("");
    if (type.startsWith("application/problem+json")) {
      try {
        return JSON.readTree(response.body());
      } catch (JacksonException e) {
        // not a problem document; the status decides
      }
    }
    return JSON.missingNode();
  }

  /**
   * Parses whole seconds; zero becomes a short pause. The date form, which Forebay never sends, is
   * not supported.
   */
  private static @Nullable Duration pause(String header) {
    if (!header.matches("[0-9]{1,6}")) {
      return null;
    }
    Duration pause = Duration.ofSeconds(Long.parseLong(header));
    return pause.isZero() ? SHORTEST_PAUSE : pause;
  }

  private boolean is(String type) {
    return problem.path("type").asString("").equals(type);
  }

  private ServiceFailed serviceFailed() throws TransportFailed {
    try {
      return new ServiceFailed(
          problem.path("code").asString(""), problem.path("detail").asString(""));
    } catch (IllegalArgumentException e) {
      throw TransportFailed.unknown("%s failed the chunk without a code".formatted(address), e);
    }
  }

  /**
   * The time after which to retry; null unless the server said that nothing was performed and gave
   * one.
   */
  @Nullable Duration retryAfter() {
    return retryAfter;
  }

  byte[] replies() {
    return body;
  }

  TransportFailed refused() {
    String what =
        "%s answered %d%s%s"
            .formatted(
                address,
                status,
                words(),
                retryAfter == null
                    ? ""
                    : ", retry after %s, which is after the time-out of this chunk"
                        .formatted(Formats.duration(retryAfter)));
    return REFUSALS.contains(status) || is(CHUNK_REFUSED)
        ? TransportFailed.notPerformed(what, null)
        : TransportFailed.unknown(what, null);
  }

  /**
   * The detail of the problem document if it is ours: those contain no argument values. Other
   * documents may.
   */
  private String words() {
    String type = problem.path("type").asString("");
    return type.startsWith(PREFIX)
        ? " (%s: %s)"
            .formatted(type.substring(PREFIX.length()), problem.path("detail").asString(""))
        : "";
  }
}
