/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends statements to the HTTP door of a Forebay service.
 *
 * <pre>{@code
 * try (DoorClient door = DoorClient.to(URI.create("http://127.0.0.1:8080"),
 *     DoorOptions.defaults().withToken(token))) {
 *   Receipt receipt = door.send("orders.place", Map.of("id", 4711, "item", "tea"));
 *   JsonNode result = door.result(receipt, Duration.ofSeconds(10));
 * }
 * }</pre>
 *
 * <p>Each statement has an idempotency key. With it, the client sends a statement again if the
 * connection breaks, or if the door answers 408, 429, 502, 503 or 504; it waits as long as {@code
 * Retry-After} says. The statement is performed once, however often it is sent. To be able to send
 * it again after a crash of your own process, give a key that you have stored.
 *
 * <p>Values of parameters are written as Jackson writes them: {@code byte[]} as Base64, types of
 * {@code java.time} as in ISO 8601.
 *
 * <p>Thread-safe. Methods block the calling thread; an interrupt ends the request, after which the
 * statement may have been accepted or not. Methods throw {@link DoorProblem} if the door refuses
 * the request, and {@link DoorUnavailable} if it does not answer, after {@link
 * DoorOptions#retryFor}.
 */
public final class DoorClient implements AutoCloseable {

  private static final String STATEMENTS = "/api/v1/statements/";

  /** How long one request waits; the door allows at most 30 s. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  /** Reads fractions as they are written; doubles would change some. */
  private static final JsonMapper RESULTS =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private final DoorHttp http;

  private DoorClient(DoorHttp http) {
    this.http = http;
  }

  /**
   * Opens no connection yet.
   *
   * @param door the address of the service without {@code /api/v1}, such as {@code
   *     https://forebay.example.org}
   * @throws IllegalArgumentException if it is not an HTTP address
   */
  public static DoorClient to(URI door, DoorOptions options) {
    return new DoorClient(new DoorHttp(door, options));
  }

  /** Sends a statement with a new key. It returns when the statement is stored. */
  public Receipt send(String statement, Map<String, ? extends @Nullable Object> params)
      throws InterruptedException {
    return send(statement, params, UUID.randomUUID().toString());
  }

  /**
   * Sends a statement. It returns when the statement is stored.
   *
   * @param key 1 to 255 ASCII characters; another call with the same key, statement and parameters
   *     performs nothing and returns a receipt with the same id
   */
  public Receipt send(String statement, Map<String, ? extends @Nullable Object> params, String key)
      throws InterruptedException {
    return send(encoded(statement), params, key, "");
  }

  /**
   * Sends a statement that must not be performed after a time: then it fails with kind EXPIRED.
   *
   * @param key as in {@link #send(String, Map, String)}
   * @throws DoorProblem of type {@code invalid-request} if the time was over when it was first sent
   */
  public Receipt send(
      String statement,
      Map<String, ? extends @Nullable Object> params,
      String key,
      Instant deliverBy)
      throws InterruptedException {
    return send(encoded(statement), params, key, "?deliver-by=" + encoded(deliverBy.toString()));
  }

  /**
   * @throws DoorUnavailable also if a refusal follows an attempt without an answer, which may have
   *     been accepted
   */
  private Receipt send(
      String statement, Map<String, ? extends @Nullable Object> params, String key, String query)
      throws InterruptedException {
    byte[] body = JsonMapper.shared().writeValueAsBytes(params);
    BackOff attempts = http.attempts();
    try {
      HttpResponse<String> answer =
          http.retrying(
              attempts,
              http.below(STATEMENTS + statement + query),
              Duration.ZERO,
              request ->
                  request
                      .header("Content-Type", "application/json")
                      .header("Idempotency-Key", key)
                      .POST(BodyPublishers.ofByteArray(body)));
      return new Receipt(
          JsonMapper.shared().readTree(answer.body()).path("id").asString(""),
          answer.headers().firstValue("Location").orElse(""));
    } catch (DoorProblem e) {
      if (attempts.isOutcomeUnknown() && !e.name().equals("outcome-unknown")) {
        throw new DoorUnavailable(
            "The door did not answer an attempt; the statement may have been accepted or not."
                + " The last answer was: "
                + e.getMessage(),
            e);
      }
      throw e;
    }
  }

  /**
   * Waits for the result of an accepted statement.
   *
   * @return the document of the result, see docs/door.md; its {@code state} is {@code pending} if
   *     the result did not arrive in time
   * @throws DoorProblem of type {@code unknown-result} if there is none, or no longer
   */
  public JsonNode result(Receipt receipt, Duration wait) throws InterruptedException {
    long deadline = System.nanoTime() + wait.toNanos();
    while (true) {
      long left = Math.max(0, deadline - System.nanoTime());
      Duration part = Duration.ofMillis(Math.min(left, LONGEST_WAIT.toNanos()) / 1_000_000);
      URI address = http.at(receipt.location() + "&wait=" + part.toMillis() + "ms");
      HttpResponse<String> answer =
          http.retrying(http.attempts(), address, part, request -> request.GET());
      JsonNode result = RESULTS.readTree(answer.body());
      if (left == 0 || !result.path("state").asString("").equals("pending")) {
        return result;
      }
    }
  }

  /**
   * Opens a stream: each line is a statement of its own, and is performed once.
   *
   * @param stream its name, among those of the token's owner: up to 100 of {@code A-Z a-z 0-9 . _ :
   *     -}. Use a name for one sequence of lines only, in one client at a time
   */
  public StatementStream stream(String stream, String statement, StreamOptions options) {
    URI address =
        http.below(STATEMENTS + encoded(statement) + "?stream=" + encoded(stream) + "&from=");
    return new StatementStream(http, address, options);
  }

  private static String encoded(String name) {
    return URLEncoder.encode(name, UTF_8);
  }

  /** Ends the connections; running requests and streams fail. */
  @Override
  public void close() {
    http.close();
  }
}
