/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.remote;

import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.Reply;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends each chunk as one request to the endpoint of a {@link ListService}, or of anything else
 * that takes and gives the same JSON.
 *
 * <p>A chunk is sent once. Only if the server says that it performed nothing and when to come back
 * (429 with {@code Retry-After}, or a problem document of type {@code
 * urn:forebay:problem:chunk-refused}) is it sent again, within the chunk's time. Everything else
 * that goes wrong fails the chunk with {@link TransportFailed}, because it may have had an effect;
 * what the service itself failed it with is a {@link ServiceFailed}.
 *
 * <p>It blocks the chunk's thread. An interrupt, as by the collector when the chunk's time is over,
 * closes the request's connection; a service that is at work then may not notice before it answers.
 *
 * <p>It speaks HTTP/1.1 over connections that are kept. HTTP/2 without TLS was measured and is no
 * faster, and Tomcat refuses to change to it with a body of more than 4 KB. The server has to keep
 * an idle connection for longer than this side does, which is 30 s ({@code
 * jdk.httpclient.keepalive.timeout}); otherwise a chunk may meet one that is just being closed.
 *
 * <p>Thread-safe. Closing it ends the connections and fails what is under way.
 */
public final class HttpChunks<A, R extends @Nullable Object>
    implements ChunkFunction<A, R>, AutoCloseable {

  private final URI address;
  private final ChunkCodec<A, R> codec;
  private final HttpOptions options;
  private final HttpClient client;

  private HttpChunks(URI address, ChunkCodec<A, R> codec, HttpOptions options) {
    this.address = address;
    this.codec = codec;
    this.options = options;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(options.connectTimeout())
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /** With {@link HttpOptions#defaults()}. */
  public static <A, R extends @Nullable Object> HttpChunks<A, R> to(
      URI address, ChunkCodec<A, R> codec) {
    return to(address, codec, HttpOptions.defaults());
  }

  /**
   * @param address such as {@code http://prices:8080/api/v1/chunks/prices}
   * @throws IllegalArgumentException if it is no address of HTTP
   */
  public static <A, R extends @Nullable Object> HttpChunks<A, R> to(
      URI address, ChunkCodec<A, R> codec, HttpOptions options) {
    HttpRequest.newBuilder(address); // says at once what is wrong with it
    return new HttpChunks<>(address, codec, options);
  }

  @Override
  public CompletionStage<List<Reply<R>>> perform(List<A> arguments)
      throws TransportFailed, InterruptedException {
    byte[] body = codec.writeArguments(arguments);
    long until = System.nanoTime() + options.timeout().toNanos();
    while (true) {
      HttpAnswer answer = HttpAnswer.of(send(request(body), until));
      Duration pause = answer.retryAfter();
      if (pause == null) {
        return CompletableFuture.completedFuture(codec.readReplies(answer.replies()));
      }
      if (pause.toNanos() >= until - System.nanoTime()) {
        throw answer.refused();
      }
      Thread.sleep(pause);
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
    return request.build();
  }

  private HttpResponse<byte[]> send(HttpRequest request, long until)
      throws TransportFailed, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(
            request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), options.maxReplyBytes()));
    try {
      return sent.get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw TransportFailed.unknown(
          "%s did not answer within timeout=%s".formatted(address, options.timeout()), e);
    } catch (ExecutionException e) {
      throw failed(e.getCause());
    } finally {
      sent.cancel(true); // closes the connection, unless the answer is there
    }
  }

  private TransportFailed failed(@Nullable Throwable cause) {
    if (cause instanceof ConnectException
        || cause instanceof HttpConnectTimeoutException
        || cause instanceof SSLHandshakeException) {
      return TransportFailed.notPerformed(
          "no connection to %s came about".formatted(address), cause);
    }
    String what = cause instanceof IOException ? "failed" : "was ended";
    return TransportFailed.unknown(
        "the request to %s %s before its answer was there (limit of its size=%,d bytes)"
            .formatted(address, what, options.maxReplyBytes()),
        cause);
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
