/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Requests to one door. Thread-safe. */
final class DoorHttp implements AutoCloseable {

  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** More than the 10 s after which the door answers if it has not accepted a statement. */
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private final URI door;
  private final DoorOptions options;
  private final HttpClient client;
  private volatile boolean closed;

  DoorHttp(URI door, DoorOptions options) {
    HttpRequest.newBuilder(door); // throws if the address is invalid
    if (options.token() != null && !options.plainHttp() && !isPrivate(door)) {
      throw new IllegalArgumentException(
          "The token would cross the network in plain text (door=%s); use https, or allow it (withPlainHttp, or the property allow-plain-http)"
              .formatted(door));
    }
    this.door = door;
    this.options = options;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER);
    if (options.sslContext() != null) {
      builder.sslContext(options.sslContext());
    }
    this.client = builder.build();
  }

  /**
   * Whether requests are encrypted, or stay on this host, by the rule of {@code Loopback} in
   * platform-core, which this module does without.
   */
  private static boolean isPrivate(URI door) {
    String host = door.getHost().replaceAll("[\\[\\]]", "");
    if ("https".equalsIgnoreCase(door.getScheme()) || "localhost".equalsIgnoreCase(host)) {
      return true;
    }
    try {
      return InetAddress.ofLiteral(host).isLoopbackAddress();
    } catch (IllegalArgumentException _) {
      return false; // a name
    }
  }

  /** The address of a resource, by its path below that of the door. */
  URI below(String path) {
    String base = door.toString();
    return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
  }

  /**
   * The address of what a header {@code Location} names. The host is always that of the door, since
   * the token must not reach another.
   */
  URI at(String location) {
    URI named = URI.create(location);
    String query = named.getRawQuery();
    return door.resolve(named.getRawPath() + (query == null ? "" : "?" + query));
  }

  /** The attempts of one request. */
  BackOff attempts() {
    return new BackOff(options.retryFor());
  }

  /**
   * Sends a request until it is answered with success.
   *
   * @param wait how long the door may let the request wait
   * @param request completes the request of each attempt
   * @throws DoorProblem if the request is refused, or the problem lasts
   * @throws DoorUnavailable if there is no answer, or the certificate of the door is not trusted
   */
  HttpResponse<String> retrying(
      BackOff attempts, URI address, Duration wait, Consumer<HttpRequest.Builder> request)
      throws InterruptedException {
    while (true) {
      try {
        HttpResponse<String> answer = once(address, wait, request);
        if (answer.statusCode() / 100 == 2) {
          return answer;
        }
        @Nullable String retryAfter = answer.headers().firstValue("Retry-After").orElse(null);
        DoorProblem problem = DoorProblem.of(answer.statusCode(), retryAfter, answer.body());
        if (problem.isOutcomeUnknown()) {
          attempts.outcomeUnknown();
        }
        if (!problem.isTemporary()) {
          throw problem;
        }
        attempts.pause(problem.retryAfter(), problem);
      } catch (IOException e) {
        mustBeTrusted(e);
        if (!(e instanceof ConnectException || e instanceof HttpConnectTimeoutException)) {
          attempts.outcomeUnknown();
        }
        DoorUnavailable unavailable =
            new DoorUnavailable(
                "The door at %s did not answer (%s); what was sent may have been accepted or not"
                    .formatted(door, e),
                e);
        if (closed) {
          throw unavailable;
        }
        attempts.pause(null, unavailable);
      }
    }
  }

  /** Sends a request once; closes its connection if there is no answer in time. */
  private HttpResponse<String> once(
      URI address, Duration wait, Consumer<HttpRequest.Builder> request)
      throws IOException, InterruptedException {
    HttpRequest.Builder builder = HttpRequest.newBuilder(address);
    Supplier<String> token = options.token();
    if (token != null) {
      builder.header("Authorization", "Bearer " + token.get());
    }
    request.accept(builder);
    Duration limit = ANSWER.plus(wait);
    CompletableFuture<HttpResponse<String>> sent =
        client.sendAsync(builder.build(), BodyHandlers.ofString());
    try {
      return sent.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new HttpTimeoutException("no answer within %s".formatted(limit));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failed ? failed : new IOException(e.getCause());
    } finally {
      sent.cancel(true);
    }
  }

  /** Another attempt does not change what is trusted. */
  private void mustBeTrusted(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        throw new DoorUnavailable(
            "The certificate of the door at %s is not trusted (%s); this attempt sent nothing"
                .formatted(door, cause.getMessage()),
            failure);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    client.shutdownNow();
    client.close();
  }
}
