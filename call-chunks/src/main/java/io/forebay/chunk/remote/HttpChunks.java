/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.Reply;
import io.forebay.machine.Machine;
import io.forebay.operations.Loopback;
import io.forebay.text.Formats;
import io.forebay.trace.TraceParent;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends each chunk as one request to the endpoint of a {@link ListService}, or of any server that
 * speaks the same JSON.
 *
 * <p>A chunk is sent once. It is sent again, within the chunk's time limit, only if the server says
 * that it performed nothing and when to retry (429 with {@code Retry-After}, or a problem document
 * of type {@code urn:forebay:problem:chunk-refused}). Every other failure fails the chunk with
 * {@link TransportFailed}, because the chunk may have taken effect; failures by the service itself
 * are a {@link ServiceFailed}.
 *
 * <p>It blocks the chunk's thread. An interrupt, such as the collector's when the chunk's time
 * limit is reached, closes the request's connection; a busy service may not notice before it
 * answers.
 *
 * <p>It uses HTTP/1.1 over persistent connections. In our measurements HTTP/2 without TLS was no
 * faster, and Tomcat refuses to upgrade a request with a body of more than 4 KB. The server must
 * keep idle connections longer than this side does, which is 30 s ({@code
 * jdk.httpclient.keepalive.timeout}); otherwise a chunk may use a connection that is just being
 * closed.
 *
 * <p>Thread-safe. Closing it ends the connections and fails running requests.
 */
public final class HttpChunks<A, R extends @Nullable Object>
    implements ChunkFunction<A, R>, AutoCloseable {

  private final URI address;
  private final ChunkCodec<A, R> codec;
  private static final Duration CONNECT = Duration.ofSeconds(5);

  private final HttpOptions options;
  private final HttpClient client;

  private HttpChunks(URI address, ChunkCodec<A, R> codec, HttpOptions options) {
    this.address = address;
    this.codec = codec;
    this.options = options;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            // The client's own thread does the work: to switch threads costs more than the work,
            // also with TLS (docs/performance.md). It blocks only if a refused connection is tried
            // again and the name of the host has to be looked up.
            .executor(Runnable::run)
            .build();
  }

  /** Uses {@link HttpOptions#defaults()}. */
  public static <A, R extends @Nullable Object> HttpChunks<A, R> to(
      URI address, ChunkCodec<A, R> codec) {
    return to(address, codec, HttpOptions.defaults());
  }

  /**
   * @param address such as {@code http://prices:8080/api/v1/chunks/prices}
   * @throws IllegalArgumentException if it is not an HTTP address, or the token would go to another
   *     host in plain text
   */
  public static <A, R extends @Nullable Object> HttpChunks<A, R> to(
      URI address, ChunkCodec<A, R> codec, HttpOptions options) {
    HttpRequest.newBuilder(address); // throws if the address is invalid
    boolean isPrivate =
        "https".equalsIgnoreCase(address.getScheme()) || Loopback.isHost(address.getHost());
    if (options.token() != null && !options.plainHttp() && !isPrivate) {
      throw new IllegalArgumentException(
          "The token would cross the network in plain text (service=%s); use https, or allow it (withPlainHttp, or the property allow-plain-http)"
              .formatted(address));
    }
    return new HttpChunks<>(address, codec, options);
  }

  @Override
  public CompletionStage<List<Reply<R>>> perform(List<A> arguments)
      throws TransportFailed, InterruptedException {
    byte[] body = codec.writeArguments(arguments);
    long until = Machine.nanos() + options.timeout().toNanos();
    while (true) {
      HttpAnswer answer = HttpAnswer.of(send(request(body), until));
      Duration pause = answer.retryAfter();
      if (pause == null) {
        return CompletableFuture.completedFuture(codec.readReplies(answer.replies()));
      }
      if (pause.toNanos() >= until - Machine.nanos()) {
        throw answer.refused();
      }
      Machine.sleep(pause);
    }
  }

  private HttpRequest request(byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, application/problem+json")
            .POST(BodyPublishers.ofByteArray(body));
    Supplier<String> token = options.token();
    if (token != null) {
      request.header("Authorization", "Bearer " + token.get());
    }
    TraceParent trace = ChunkFunction.trace();
    if (trace != null) {
      request.header(TraceParent.NAME, trace.toString());
    }
    return request.build();
  }

  private HttpResponse<byte[]> send(HttpRequest request, long until)
      throws TransportFailed, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(
            request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), options.maxReplyBytes()));
    try {
      return Machine.get(sent, Duration.ofNanos(until - Machine.nanos()));
    } catch (TimeoutException e) {
      throw TransportFailed.unknown(
          "%s did not answer within timeout=%s"
              .formatted(address, Formats.duration(options.timeout())),
          e);
    } catch (ExecutionException e) {
      throw failed(e.getCause());
    } finally {
      sent.cancel(true); // closes the connection, unless the answer has arrived
    }
  }

  private TransportFailed failed(@Nullable Throwable cause) {
    if (cause instanceof ConnectException
        || cause instanceof HttpConnectTimeoutException
        || cause instanceof SSLHandshakeException) {
      return TransportFailed.notPerformed("no connection to %s".formatted(address), cause);
    }
    String what = cause instanceof IOException ? "failed" : "was closed";
    return TransportFailed.unknown(
        "the request to %s %s before its answer arrived (maxReplyBytes=%,d)"
            .formatted(address, what, options.maxReplyBytes()),
        cause);
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
