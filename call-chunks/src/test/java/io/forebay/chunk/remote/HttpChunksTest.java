/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.Reply;
import io.forebay.testing.ChildProcess;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.TraceParent;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The errors that a caller gets when servers misbehave. */
@Timeout(600)
class HttpChunksTest {

  private static final String JSON = "application/json";
  private static final String PROBLEM = "application/problem+json";
  private static final ChunkCodec<Integer, String> CODEC =
      ChunkCodec.of(Integer.class, String.class);
  private static final HttpOptions OPTIONS =
      HttpOptions.defaults().withTimeout(Duration.ofSeconds(60));

  private ScriptedServer server;
  private HttpChunks<Integer, String> chunks;

  @BeforeEach
  void connect() throws Exception {
    server = new ScriptedServer();
    chunks = HttpChunks.to(server.address(), CODEC, OPTIONS.withToken(() -> "a-token"));
  }

  @AfterEach
  void close() throws Exception {
    chunks.close();
    server.close();
  }

  private List<Reply<String>> perform() throws Exception {
    return chunks.perform(List.of(7, 8)).toCompletableFuture().get();
  }

  private ThrowableAssertAlternative<TransportFailed> assertFails(boolean maybePerformed) {
    return org.assertj.core.api.Assertions.assertThatExceptionOfType(TransportFailed.class)
        .isThrownBy(this::perform)
        .satisfies(it -> assertThat(it.maybePerformed()).isEqualTo(maybePerformed))
        .withMessageContaining(
            maybePerformed
                ? "whether the chunk was performed is not known"
                : "nothing was performed");
  }

  @Test
  void sendsTheArgumentsWithTheTokenOverAConnectionThatIsKept() throws Exception {
    String body =
        "[{\"index\":1,\"result\":\"eight\",\"later\":[{}]},{\"result\":\"seven\",\"index\":0}]";
    server.then(200, JSON, body).then(200, JSON, body);
    for (int i = 0; i < 2; i++) {
      assertThat(perform())
          .containsExactly(new Reply.Result<>(1, "eight"), new Reply.Result<>(0, "seven"));
    }
    assertThat(server.connections()).isEqualTo(1);
    assertThat(server.requests.getLast())
        .startsWith("POST /chunks HTTP/1.1")
        .contains("Authorization: Bearer a-token", "Content-Type: application/json")
        .endsWith("\n\n[7,8]");
  }

  @Test
  void aRequestCarriesTheTraceOfTheFirstTracedCall() {
    String body = "[{\"index\":0,\"result\":\"seven\"}]";
    server.then(200, JSON, body).then(200, JSON, body);
    try (RecordedSpans spans = new RecordedSpans();
        CallCollector collector = new CallCollector(spans.tracing())) {
      ChunkedService<Integer, String> names =
          collector.service("names", chunks, ChunkOptions.defaults());
      assertThat(names.call(7)).isEqualTo("seven");
      TraceParent caller = spans.in("caller", () -> names.call(7));
      assertThat(server.requests.getFirst()).doesNotContain("traceparent");
      assertThat(server.requests.getLast()).contains("\ntraceparent: " + caller + "\n");
    }
  }

  @Test
  void anUnreachableServerHasPerformedNothing() throws Exception {
    chunks.close();
    try (Socket bound = new Socket()) { // it does not listen
      bound.bind(new InetSocketAddress("127.0.0.1", 0));
      URI nobody = URI.create("http://127.0.0.1:%d/chunks".formatted(bound.getLocalPort()));
      chunks = HttpChunks.to(nobody, CODEC, OPTIONS);
      assertFails(false).withMessageContaining("no connection to " + nobody);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 405, 413, 415, 429})
  void aRefusalHasPerformedNothing(int status) {
    server.then(status, "text/html", "<p>secret");
    assertFails(false)
        .withMessageContaining("answered " + status)
        .withMessageNotContaining("secret");
    assertThat(server.requests).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 302, 409, 500, 502, 503, 504})
  void afterAnyOtherStatusItIsUnknownWhatWasPerformed(int status) {
    server.then(
        "HTTP/1.1 %d Status\r\nRetry-After: 0\r\nLocation: %s\r\n%s\r\n"
            .formatted(status, server.address(), status == 204 ? "" : "Content-Length: 0\r\n"));
    assertFails(true).withMessageContaining("answered " + status);
    assertThat(server.requests).hasSize(1);
  }

  @Test
  void theDetailOfOurProblemDocumentsIsReported() {
    server
        .then(403, PROBLEM, "{\"type\":\"urn:forebay:problem:not-permitted\",\"detail\":\"ask\"}")
        .then(500, PROBLEM, "{\"type\":\"about:blank\",\"detail\":\"secret\"}")
        .then(500, PROBLEM, "{\"type\":");
    assertFails(false).withMessageContaining("answered 403 (not-permitted: ask)");
    assertFails(true).withMessageContaining("answered 500;");
    assertFails(true).withMessageContaining("answered 500;");
  }

  @Test
  void aServiceFailureWithoutACodeFailsTheChunk() {
    server.then(422, PROBLEM, "{\"type\":\"urn:forebay:problem:service-failed\"}");
    assertFails(true).withMessageContaining("failed the chunk without a code");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "null",
        "{}",
        "[",
        "[]]",
        "[1]",
        "[{\"index\":0}]",
        "[{\"index\":0,\"result\":\"a\",\"error\":{\"code\":\"b\"}}]",
        "[{\"index\":\"first\",\"result\":\"a\"}]",
        "[{\"index\":99999999999,\"result\":\"a\"}]",
        "[{\"index\":0,\"result\":{}}]",
        "[{\"index\":0,\"error\":\"b\"}]",
        "[{\"index\":0,\"error\":{\"message\":\"m\"}}]",
        "[{\"index\":0,\"result\":\"a\"}",
      })
  void repliesThatCannotBeReadFailTheChunk(String body) {
    server.then(200, JSON, body);
    assertFails(true);
  }

  @Test
  void aConnectionThatBreaksFailsTheChunkAndTheNextOneHasANewConnection() throws Exception {
    server
        .then("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\n[{\"index\"")
        .then(200, JSON, "[]");
    assertFails(true).withMessageContaining("failed before its answer arrived");
    assertThat(perform()).isEmpty();
    assertThat(server.requests).hasSize(2);
  }

  @Test
  void aTooLargeAnswerIsNotRead() {
    chunks.close();
    chunks = HttpChunks.to(server.address(), CODEC, OPTIONS.withMaxReplyBytes(1_000));
    server.then(200, JSON, "[" + " ".repeat(100_000) + "]");
    assertFails(true).withMessageContaining("maxReplyBytes=1,000");
  }

  @Test
  void aChunkThatWasCertainlyNotPerformedIsSentAgain() throws Exception {
    String refused = "{\"type\":\"urn:forebay:problem:chunk-refused\",\"detail\":\"busy\"}";
    server
        .then(503, PROBLEM, refused, "Retry-After: 0")
        .then(429, "text/plain", "slowly", "Retry-After: 1")
        .then(200, JSON, "[]");
    assertThat(perform()).isEmpty();
    assertThat(server.requests).hasSize(3);
  }

  @Test
  void aChunkIsNotSentAgainAfterItsTime() {
    server.then(429, "text/plain", "slowly", "Retry-After: 3600");
    assertFails(false)
        .withMessageContaining("retry after 1 h, which is after the time-out of this chunk");
    assertThat(server.requests).hasSize(1);
  }

  @Test
  void anInterruptClosesTheConnection() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread caller =
        Thread.ofVirtual()
            .start(() -> {
              try {
                perform();
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    await().until(() -> !server.requests.isEmpty());
    assertThat(server.closedByClient).isNotDone();
    caller.interrupt();
    server.closedByClient.get(120, TimeUnit.SECONDS);
    caller.join();
    assertThat(thrown).hasValueMatching(InterruptedException.class::isInstance);
  }

  @Test
  void aTimeOutClosesTheConnectionEvenInTheMiddleOfAnAnswer() throws Exception {
    chunks.close();
    chunks = HttpChunks.to(server.address(), CODEC, OPTIONS.withTimeout(Duration.ofMillis(300)));
    assertFails(true).withMessageContaining("timeout=300 ms");
    server.closedByClient.get(120, TimeUnit.SECONDS);
    server.then("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[");
    assertFails(true).withMessageContaining("timeout=300 ms");
  }

  @Test
  void aServerThatIsKilledWhileItPerformsFailsTheChunk() throws Exception {
    try (ChildProcess child = ChildProcess.start(SlowServer.class)) {
      URI address = URI.create(child.await("address ").substring("address ".length()));
      chunks.close();
      chunks = HttpChunks.to(address, CODEC, OPTIONS);
      Thread killer =
          Thread.ofVirtual()
              .start(() -> {
                child.await("performing");
                child.kill();
              });
      assertFails(true).withMessageContaining("failed before its answer arrived");
      killer.join();
      assertFails(false).withMessageContaining("no connection");
    }
  }

  /** An application whose service never answers. */
  static final class SlowServer {

    @org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
    static class Services {

      @org.springframework.context.annotation.Bean
      ListService<Integer, String> slow() {
        return ListService.inOrder(
            "slow",
            CODEC,
            _ -> {
              System.out.println("performing");
              Thread.sleep(Duration.ofDays(1));
              return List.of();
            });
      }

      @org.springframework.context.annotation.Bean
      ChunkGrants grants() {
        return (_, _) -> true;
      }

      @org.springframework.context.annotation.Bean
      jakarta.servlet.Filter anybody() {
        return (request, response, chain) ->
            chain.doFilter(
                new jakarta.servlet.http.HttpServletRequestWrapper(
                    (jakarta.servlet.http.HttpServletRequest) request) {
                  @Override
                  public java.security.Principal getUserPrincipal() {
                    return () -> "anybody";
                  }
                },
                response);
      }
    }

    public static void main(String[] arguments) {
      ChunksServer server = ChunksServer.start(Services.class);
      System.out.println("address " + server.address("/api/v1/chunks/slow"));
    }
  }

  @Test
  void closingFailsRunningChunks() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread caller =
        Thread.ofVirtual()
            .start(() -> {
              try {
                perform();
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    await().until(() -> !server.requests.isEmpty());
    chunks.close();
    caller.join();
    assertThat(thrown).hasValueMatching(TransportFailed.class::isInstance);
  }

  @Test
  void aTokenGoesOverPlainHttpOnlyToThisHost() {
    URI elsewhere = URI.create("http://crm:8080/chunks");
    HttpOptions options = HttpOptions.defaults().withToken(() -> "secret");
    assertThatThrownBy(() -> HttpChunks.to(elsewhere, CODEC, options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("plain text (service=http://crm:8080/chunks)");
    HttpChunks.to(elsewhere, CODEC, options.withPlainHttp()).close();
    HttpChunks.to(URI.create("https://crm/chunks"), CODEC, options).close();
  }

  @Test
  void allViolationsOfTheOptionsAreReported() {
    assertThatThrownBy(() -> HttpOptions.defaults().withTimeout(Duration.ZERO))
        .hasMessage("timeout is 0 s, it must be more than zero");
    assertThatThrownBy(() -> HttpChunks.to(URI.create("ftp://a/b"), CODEC))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(OPTIONS.withToken(() -> "secret").toString()).doesNotContain("secret");
  }
}
