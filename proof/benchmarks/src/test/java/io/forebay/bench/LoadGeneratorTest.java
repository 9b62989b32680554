/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadGeneratorTest {

  private static final int CONNECTIONS = 10;
  private static final double SECONDS = 0.5;

  private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
  private final Queue<String> heads = new ConcurrentLinkedQueue<>();
  private final AtomicLong answered = new AtomicLong();
  private ExecutorService threads;
  private HttpServer server;
  private int port;

  @BeforeEach
  void startServer() throws IOException {
    threads = Executors.newVirtualThreadPerTaskExecutor();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
    port = server.getAddress().getPort();
  }

  @AfterEach
  void stopServer() {
    server.stop(0);
    threads.shutdownNow();
  }

  private LoadRequest request(String path) {
    return new LoadRequest(port, path, "secret", 7);
  }

  private Rounds load(String path) throws IOException {
    return LoadGenerator.run(CONNECTIONS, SECONDS, request(path));
  }

  private void answer(HttpExchange exchange, int status, long length) throws IOException {
    try (exchange) {
      heads.add(
          "%s %s %s"
              .formatted(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI(),
                  exchange.getRequestHeaders().getFirst("Authorization")));
      bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      answered.incrementAndGet();
      exchange.sendResponseHeaders(status, length);
      if (length >= 0) {
        exchange.getResponseBody().write("{\"fine\":true}".getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  @ParameterizedTest(name = "a body of length {0}")
  @ValueSource(longs = {13, -1})
  void countsExactlyWhatWasAnswered(long length) throws IOException {
    server.createContext("/orders", exchange -> answer(exchange, 202, length));

    Rounds result = load("/orders?wait=1s");

    assertThat(result.median(Load.ACKNOWLEDGED))
        .isGreaterThan(CONNECTIONS)
        .isEqualTo(answered.get());
    assertThat(result.median(Load.REFUSED)).isZero();
    assertThat(result.median(Load.LOST)).isZero();
    assertThat(result.median(Load.SECONDS)).isBetween(SECONDS, SECONDS + 5);
    assertThat(result.median("p50 ms"))
        .isPositive()
        .isLessThanOrEqualTo(result.median(IngestBenchmark.P99));
    assertThat(result.median(IngestBenchmark.P99)).isLessThanOrEqualTo(result.median("max ms"));
    assertThat(heads).containsOnly("POST /orders?wait=1s Bearer secret");
  }

  @Test
  void sendsEachOrderOnce() throws IOException {
    server.createContext("/", exchange -> answer(exchange, 200, -1));

    load("/");

    assertThat(bodies)
        .doesNotHaveDuplicates()
        .contains(
            "{\"id\":1000000000000,\"run\":7,\"customer\":\"customer-0042\",\"amount\":12.25}",
            "{\"id\":1000000000011,\"run\":7,\"customer\":\"customer-0042\",\"amount\":12.25}");
  }

  @Test
  void countsOtherAnswersSeparately() throws IOException {
    AtomicLong requests = new AtomicLong();
    server.createContext(
        "/", exchange -> answer(exchange, requests.incrementAndGet() % 3 == 0 ? 503 : 202, 13));

    Rounds result = load("/");

    assertThat(result.median(Load.REFUSED)).isEqualTo(requests.get() / 3);
    assertThat(result.median(Load.ACKNOWLEDGED)).isEqualTo(requests.get() - requests.get() / 3);
    assertThat(result.median(Load.LOST)).isZero();
  }

  @Test
  void reconnectsWhenTheServerClosesTheConnection() throws IOException {
    server.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Connection", "close");
          answer(exchange, 202, -1);
        });

    // each request has to connect first, which a busy machine may take long for
    Rounds result = LoadGenerator.run(CONNECTIONS, 4 * SECONDS, request("/"));

    assertThat(result.median(Load.ACKNOWLEDGED))
        .isGreaterThan(CONNECTIONS)
        .isEqualTo(answered.get());
    assertThat(result.median(Load.LOST)).isZero();
  }

  @Test
  void countsRequestsOnDroppedConnectionsAsLost() throws Exception {
    AtomicLong dropped = new AtomicLong();
    AtomicLong acknowledged = new AtomicLong();
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      threads.submit(() -> {
        while (true) {
          Socket connection = socket.accept();
          threads.submit(() -> answerTwiceThenDrop(connection, acknowledged, dropped));
        }
      });

      port = socket.getLocalPort();
      Rounds result = LoadGenerator.run(CONNECTIONS, SECONDS, request("/"));

      assertThat(result.median(Load.ACKNOWLEDGED))
          .isGreaterThan(CONNECTIONS)
          .isEqualTo(acknowledged.get());
      assertThat(result.median(Load.LOST)).isGreaterThan(CONNECTIONS).isEqualTo(dropped.get());
    }
  }

  private Void answerTwiceThenDrop(Socket connection, AtomicLong acknowledged, AtomicLong dropped)
      throws IOException {
    try (connection) {
      InputStream in = connection.getInputStream();
      for (int i = 0; i < 3; i++) {
        StringBuilder read = new StringBuilder();
        while (read.indexOf("}") < 0) {
          int c = in.read();
          if (c < 0) {
            return null;
          }
          read.append((char) c);
        }
        if (i == 2) {
          dropped.incrementAndGet();
          return null;
        }
        acknowledged.incrementAndGet();
        connection
            .getOutputStream()
            .write("HTTP/1.1 204 \r\nX: y\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      }
    }
    return null;
  }

  @Test
  void endsEarlyWhenTheServerWasKilled() throws Exception {
    AtomicLong acknowledged = new AtomicLong();
    AtomicLong dropped = new AtomicLong();
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      threads.submit(() -> {
        List<Socket> accepted = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
          accepted.add(socket.accept());
        }
        socket.close();
        for (Socket connection : accepted) {
          threads.submit(() -> answerTwiceThenDrop(connection, acknowledged, dropped));
        }
        return null;
      });

      port = socket.getLocalPort();
      Rounds result = LoadGenerator.run(CONNECTIONS, 60, request("/"));

      assertThat(result.median(Load.ACKNOWLEDGED)).isEqualTo(2 * CONNECTIONS);
      assertThat(result.median(Load.LOST)).isEqualTo(CONNECTIONS).isEqualTo(dropped.get());
      assertThat(result.median(Load.SECONDS)).isLessThan(60);
    }
  }

  @Test
  void failsIfNobodyListens() {
    server.stop(0);
    assertThatThrownBy(() -> load("/")).isInstanceOf(IOException.class);
  }

  @Test
  void isMeasuredInAProcessOfItsOwn(@TempDir Path folder) throws Exception {
    server.createContext("/", exchange -> answer(exchange, 202, 13));
    try (Testbed testbed = new Testbed(folder);
        Load load = new Load(testbed)) {
      for (int time = 0; time < 2; time++) {
        long before = answered.get();
        Rounds result = load.run(CONNECTIONS, SECONDS, request("/"));
        assertThat(result.median(Load.ACKNOWLEDGED))
            .isPositive()
            .isEqualTo(answered.get() - before);
        assertThat(result.median(Load.CPU_SECONDS)).isPositive();
      }
    }
  }
}
