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
import tools.jackson.databind.JsonNode;

/**
 * Sends statements to the HTTP door of a Forebay service.
 *
 * <pre>{@code
 * try (DoorClient door = DoorClient.to(URI.create("http://127.0.0.1:8080"),
 *     DoorOptions.defaults().withToken(token))) {
 *   Receipt receipt = door.send("orders.place", Map.of("id", 4711, "item", "tea"));
 *   StatementResult result = door.result(receipt.location(), Duration.ofSeconds(10));
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
  private static final String RESULTS = "/api/v1/results";
  private static final String STREAMS = "/api/v1/streams/";
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final DoorHttp http;

  /** A door allows 30 s unless configured otherwise, and says so if it allows less. */
  private volatile long longestWaitMillis = 20_000;

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
    return receipt(post(http.attempts(), statement, params, key, "", Duration.ZERO));
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
    String query = "?deliver-by=" + encoded(deliverBy.toString());
    return receipt(post(http.attempts(), statement, params, key, query, Duration.ZERO));
  }

  private static Receipt receipt(HttpResponse<String> answer) {
    JsonNode accepted = Json.read(answer.body());
    return new Receipt(
        accepted.path("id").asString(""),
        accepted.path("gateway").asString(""),
        accepted.path("partition").asInt(),
        accepted.path("position").asLong(),
        accepted.path("level").asString(""),
        location(answer));
  }

  /** Sends a statement with a new key and waits for its result. */
  public StatementResult perform(
      String statement, Map<String, ? extends @Nullable Object> params, Duration wait)
      throws InterruptedException {
    return perform(statement, params, UUID.randomUUID().toString(), wait);
  }

  /**
   * Sends a statement and waits for its result. It is performed even if the wait is too short.
   *
   * @param key as in {@link #send(String, Map, String)}
   * @param wait how long to wait after the statement is stored
   * @return the result; {@code PENDING} if it did not arrive in time
   */
  public StatementResult perform(
      String statement, Map<String, ? extends @Nullable Object> params, String key, Duration wait)
      throws InterruptedException {
    long deadline = System.nanoTime() + wait.toNanos();
    BackOff attempts = http.attempts();
    HttpResponse<String> answer =
        waiting(
            deadline,
            part ->
                post(attempts, statement, params, key, "?wait=" + part.toMillis() + "ms", part));
    StatementResult result = StatementResult.of(Json.read(answer.body()), location(answer));
    Duration left = Duration.ofNanos(deadline - System.nanoTime());
    return result.state() == StatementResult.State.PENDING && left.isPositive()
        ? result(result.location(), left)
        : result;
  }

  /** Waits for the result of an accepted statement, as {@link #result(String, Duration)} does. */
  public StatementResult result(Receipt receipt, Duration wait) throws InterruptedException {
    return result(receipt.location(), wait);
  }

  /**
   * Waits for the result of an accepted statement.
   *
   * @param location of a receipt or a result
   * @return the result; {@code PENDING} if it did not arrive in time
   * @throws DoorProblem of type {@code unknown-result} if there is none, or no longer
   */
  public StatementResult result(String location, Duration wait) throws InterruptedException {
    long deadline = System.nanoTime() + wait.toNanos();
    while (true) {
      HttpResponse<String> answer = waiting(deadline, part -> get(location, part));
      StatementResult result = StatementResult.of(Json.read(answer.body()), location);
      if (result.state() != StatementResult.State.PENDING || isOver(deadline)) {
        return result;
      }
    }
  }

  /**
   * Cancels a statement that was not performed yet.
   *
   * @param location of a receipt
   * @return true: it is never performed; false: it was performed
   * @throws DoorProblem of type {@code unknown-result} if there is no such statement, or no longer
   */
  public boolean cancel(String location) throws InterruptedException {
    try {
      http.retrying(http.at(location), Duration.ZERO, request -> request.DELETE());
      return true;
    } catch (DoorProblem e) {
      if (e.name().equals("already-performed")) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Returns results of this caller's statements from a position on, in order, whoever sent them
   * with this token and whenever.
   *
   * <pre>{@code
   * ResultQuery query = ResultQuery.from(stored == null ? ResultQuery.START : stored);
   * while (true) {
   *   ResultPage page = door.results(query, Duration.ofMinutes(1));
   *   process(page.results(), page.next()); // in one transaction of your database
   *   query = query.withFrom(page.next());
   * }
   * }</pre>
   *
   * @param wait how long to wait for the first result
   * @return a page without results if none came in time
   * @throws DoorProblem of type {@code results-expired} if the results after the position were
   *     deleted
   */
  public ResultPage results(ResultQuery query, Duration wait) throws InterruptedException {
    long deadline = System.nanoTime() + wait.toNanos();
    String rest =
        "&limit="
            + query.limit()
            + (query.gateway() == null ? "" : "&gateway=" + encoded(query.gateway()))
            + (query.stream() == null ? "" : "&stream=" + encoded(query.stream()));
    String from = query.from();
    if (from.equals(ResultQuery.END)) {
      // the end is a later one if the answer to a request that waits is lost
      String address = http.below(RESULTS + "?from=end" + rest).toString();
      from = ResultPage.of(Json.read(get(address, Duration.ZERO).body())).next();
    }
    while (true) {
      String address = http.below(RESULTS + "?from=" + encoded(from) + rest).toString();
      HttpResponse<String> answer = waiting(deadline, part -> get(address, part));
      ResultPage page = ResultPage.of(Json.read(answer.body()));
      if (!page.results().isEmpty() || isOver(deadline)) {
        return page;
      }
      from = page.next();
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

  /**
   * Says how far a stream of the first gateway is; as soon as so many lines have taken effect or
   * failed.
   *
   * @param performed how many lines to wait for
   * @param wait how long to wait
   * @throws DoorProblem of type {@code unknown-stream} if no line was performed in time
   */
  public StreamProgress progress(String stream, long performed, Duration wait)
      throws InterruptedException {
    return progress(STREAMS + encoded(stream) + "?performed=" + performed, wait, performed);
  }

  /** Says how far a stream of a gateway is, as {@link #progress(String, long, Duration)} does. */
  public StreamProgress progress(String gateway, String stream, long performed, Duration wait)
      throws InterruptedException {
    String path = STREAMS + encoded(stream) + "?performed=" + performed;
    return progress(path + "&gateway=" + encoded(gateway), wait, performed);
  }

  /**
   * Cancels a stream of the first gateway: its lines that still wait, and those sent later, are not
   * performed. Lines that are being performed at this moment may take effect.
   *
   * @return how far it is
   */
  public StreamProgress cancelStream(String stream) throws InterruptedException {
    return cancelStream(http.below(STREAMS + encoded(stream)));
  }

  /** Cancels a stream of a gateway, as {@link #cancelStream(String)} does. */
  public StreamProgress cancelStream(String gateway, String stream) throws InterruptedException {
    return cancelStream(http.below(STREAMS + encoded(stream) + "?gateway=" + encoded(gateway)));
  }

  private StreamProgress cancelStream(URI address) throws InterruptedException {
    HttpResponse<String> answer =
        http.retrying(address, Duration.ZERO, request -> request.DELETE());
    return StreamProgress.of(Json.read(answer.body()));
  }

  private StreamProgress progress(String path, Duration wait, long performed)
      throws InterruptedException {
    String below = http.below(path).toString();
    long deadline = System.nanoTime() + wait.toNanos();
    while (true) {
      try {
        HttpResponse<String> answer = waiting(deadline, part -> get(below, part));
        StreamProgress progress = StreamProgress.of(Json.read(answer.body()));
        if (progress.performed() >= performed || isOver(deadline)) {
          return progress;
        }
      } catch (DoorProblem e) {
        if (!e.name().equals("unknown-stream") || isOver(deadline)) {
          throw e;
        }
      }
      Thread.sleep(PAUSE);
    }
  }

  private static boolean isOver(long deadline) {
    return System.nanoTime() - deadline >= 0;
  }

  /** A request that the door lets wait for a part of the time. */
  private interface Waiting {
    HttpResponse<String> send(Duration part) throws InterruptedException;
  }

  private HttpResponse<String> waiting(long deadline, Waiting request) throws InterruptedException {
    while (true) {
      long left = Math.max(0, Duration.ofNanos(deadline - System.nanoTime()).toMillis());
      try {
        return request.send(Duration.ofMillis(Math.min(left, longestWaitMillis)));
      } catch (DoorProblem e) {
        long longest = e.longestWaitMillis();
        if (longest <= 0 || longest >= longestWaitMillis) {
          throw e;
        }
        longestWaitMillis = longest;
      }
    }
  }

  /**
   * @throws DoorUnavailable also if a refusal follows an attempt without an answer, which may have
   *     been accepted
   */
  private HttpResponse<String> post(
      BackOff attempts,
      String statement,
      Map<String, ? extends @Nullable Object> params,
      String key,
      String query,
      Duration wait)
      throws InterruptedException {
    byte[] body = Json.write(params);
    try {
      return http.retrying(
          attempts,
          http.below(STATEMENTS + encoded(statement) + query),
          wait,
          request ->
              request
                  .header("Content-Type", "application/json")
                  .header("Idempotency-Key", key)
                  .POST(BodyPublishers.ofByteArray(body)));
    } catch (DoorProblem e) {
      boolean said = e.name().equals("outcome-unknown") || e.longestWaitMillis() > 0;
      if (attempts.isOutcomeUnknown() && !said) {
        throw new DoorUnavailable(
            "The door did not answer an attempt; the statement may have been accepted or not."
                + " The last answer was: "
                + e.getMessage(),
            e);
      }
      throw e;
    }
  }

  private HttpResponse<String> get(String location, Duration wait) throws InterruptedException {
    String query = (location.contains("?") ? "&wait=" : "?wait=") + wait.toMillis() + "ms";
    return http.retrying(http.at(location + query), wait, request -> request.GET());
  }

  private static String location(HttpResponse<String> answer) {
    return answer.headers().firstValue("Location").orElse("");
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
