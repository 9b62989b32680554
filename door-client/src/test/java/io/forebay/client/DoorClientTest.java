/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.forebay.client.CuttingProxy.Cut;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The client at a real door, also over connections that break. */
class DoorClientTest {

  private static final Duration WAIT = Duration.ofSeconds(60);

  @TempDir static Path directory;
  private static TestDoor door;

  @BeforeAll
  static void open() throws Exception {
    door = TestDoor.start(directory);
    try (DoorClient client = client(door.address())) {
      await()
          .ignoreExceptions()
          .until(() -> !client.result(client.send("orders.count", Map.of()), WAIT).has("error"));
    }
  }

  @AfterAll
  static void close() {
    door.close();
  }

  private static DoorClient client(URI address) {
    return DoorClient.to(address, DoorOptions.defaults().withToken("web"));
  }

  private static Map<String, Object> order(long id) {
    return Map.of("id", id, "item", "tea");
  }

  private static long count() throws InterruptedException {
    try (DoorClient client = client(door.address())) {
      return client.result(client.send("orders.count", Map.of()), WAIT).at("/rows/0/0").asLong();
    }
  }

  @Test
  void aTokenGoesOverPlainHttpOnlyToThisHost() {
    DoorOptions options = DoorOptions.defaults().withToken("web");
    URI elsewhere = URI.create("http://door.example:8080");
    assertThatThrownBy(() -> DoorClient.to(elsewhere, options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("plain text (door=http://door.example:8080)");
    DoorClient.to(elsewhere, options.withPlainHttp()).close();
    DoorClient.to(elsewhere, DoorOptions.defaults()).close();
    for (String here :
        List.of("http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1", "https://a")) {
      DoorClient.to(URI.create(here), options).close();
    }
  }

  @Test
  void aStatementIsPerformedOnceThoughItsAnswersAreLost() throws Exception {
    long before = count();
    try (CuttingProxy proxy =
            CuttingProxy.to(
                door.address(), List.of(CuttingProxy.NO_ANSWER, CuttingProxy.NO_ANSWER));
        DoorClient client = client(proxy.address())) {
      Receipt receipt = client.send("orders.place", order(1));
      assertThat(proxy.cuts()).isEqualTo(2);
      assertThat(client.result(receipt, WAIT))
          .hasToString("{\"id\":\"%s\",\"state\":\"done\",\"count\":1}".formatted(receipt.id()));
    }
    assertThat(count()).isEqualTo(before + 1);
  }

  @Test
  void aKeyOfTheCallerIsPerformedOnce() throws Exception {
    long before = count();
    try (DoorClient client = client(door.address())) {
      Receipt first = client.send("orders.place", order(1), "order-1");
      Receipt second = client.send("orders.place", order(1), "order-1");
      assertThat(second.id()).isEqualTo(first.id());
      Receipt other = client.send("orders.place", order(2), "order-1");
      assertThat(client.result(other, WAIT).at("/error/kind").asString()).isEqualTo("KEY_REUSED");
      assertThat(client.result(first, WAIT)).isEqualTo(client.result(second, WAIT));
    }
    assertThat(count()).isEqualTo(before + 1);
  }

  @Test
  void aProblemNamesAllInvalidFields() {
    try (DoorClient client = client(door.address())) {
      assertThatThrownBy(() -> client.send("orders.place", Map.of("id", "x")))
          .isInstanceOfSatisfying(
              DoorProblem.class,
              problem -> {
                assertThat(problem.name()).isEqualTo("invalid-parameters");
                assertThat(problem.status()).isEqualTo(400);
                assertThat(problem).hasMessageContaining("nothing was accepted");
                assertThat(problem.document().path("errors"))
                    .extracting(error -> error.path("field").asString())
                    .containsExactlyInAnyOrder("/id", "/item");
              });
    }
  }

  @Test
  void aDoorThatIsNotThereIsRetriedUntilTheTimeIsOver() {
    DoorOptions options = DoorOptions.defaults().withRetryFor(Duration.ofMillis(300));
    try (DoorClient client = DoorClient.to(URI.create("http://127.0.0.1:1"), options)) {
      assertThatThrownBy(() -> client.send("orders.place", order(1)))
          .isInstanceOf(DoorUnavailable.class);
    }
  }

  @Test
  void eachLineIsPerformedOnceThoughConnectionsBreak() throws Exception {
    long before = count();
    Random random = new Random(7);
    List<Cut> cuts = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      cuts.add(
          i % 2 == 0
              ? new Cut(5_000 + random.nextInt(60_000), Long.MAX_VALUE)
              : new Cut(Long.MAX_VALUE, 200 + random.nextInt(400)));
    }
    try (CuttingProxy proxy = CuttingProxy.to(door.address(), cuts);
        DoorClient client = client(proxy.address())) {
      StatementStream stream = client.stream("cut", "orders.place", StreamOptions.defaults());
      for (long id = 1; id <= 10_000; id++) {
        assertThat(stream.send(order(id))).isEqualTo(id);
      }
      assertThat(stream.finish()).isEqualTo(new StreamEnd(10_000, 10_000, 0));
      assertThat(proxy.cuts()).isGreaterThan(2);
      JsonNode progress = door.progress("cut", 10_000);
      assertThat(progress.path("done").asLong()).isEqualTo(10_000);
      assertThat(progress.path("failed").asLong()).isZero();
      assertThat(progress.path("repeated").asLong()).as("some lines were sent twice").isPositive();
    }
    assertThat(count()).isEqualTo(before + 10_000);
  }

  @Test
  void aRefusedLineIsReportedOnceAndTheOthersArePerformed() throws Exception {
    List<String> refused = new ArrayList<>();
    StreamOptions options =
        StreamOptions.defaults()
            .onRefused((line, problem) ->
                refused.add(
                    line + " " + problem.name() + " " + problem.document().at("/errors/0/field")));
    try (CuttingProxy proxy = CuttingProxy.to(door.address(), List.of(CuttingProxy.NO_ANSWER));
        DoorClient client = client(proxy.address())) {
      StatementStream stream = client.stream("refused", "orders.place", options);
      stream.send(order(1));
      stream.send(Map.of("id", 2));
      stream.send(order(3));
      stream.send(Map.of("item", "tea"));
      assertThat(stream.finish()).isEqualTo(new StreamEnd(4, 2, 2));
      assertThat(door.progress("refused", 2).path("done").asLong()).isEqualTo(2);
    }
    assertThat(refused)
        .containsExactly("2 invalid-parameters \"/item\"", "4 invalid-parameters \"/id\"");
  }

  @Test
  void theSenderWaitsWhileTheQueueIsFull() throws Exception {
    long before = count();
    AtomicLong sent = new AtomicLong();
    door.pause();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        DoorClient client = client(door.address())) {
      StatementStream stream = client.stream("full", "orders.place", StreamOptions.defaults());
      Future<StreamEnd> end =
          threads.submit(() -> {
            for (long id = 1; id <= 20_000; id++) {
              sent.set(stream.send(order(id)));
            }
            return stream.finish();
          });
      await().atMost(WAIT).until(door::isFull);
      assertThat(end.isDone()).isFalse();
      assertThat(sent.get()).isLessThan(20_000);
      door.resume();
      assertThat(end.get()).isEqualTo(new StreamEnd(20_000, 20_000, 0));
      assertThat(door.progress("full", 20_000).path("done").asLong()).isEqualTo(20_000);
    } finally {
      door.resume();
    }
    assertThat(count()).isEqualTo(before + 20_000);
  }

  @Test
  void anotherClientResumesAfterTheLastAcknowledgedLine() throws Exception {
    long before = count();
    long acknowledged;
    try (DoorClient client = client(door.address())) {
      StatementStream stream = client.stream("resumed", "orders.place", StreamOptions.defaults());
      for (long id = 1; id <= 3_500; id++) {
        stream.send(order(id));
      }
      acknowledged = stream.acknowledged();
      assertThat(acknowledged).as("the last lines were not sent").isBetween(2_500L, 3_499L);
    }
    try (DoorClient client = client(door.address())) {
      StatementStream stream =
          client.stream(
              "resumed", "orders.place", StreamOptions.defaults().withFrom(acknowledged + 1));
      for (long id = acknowledged + 1; id <= 5_000; id++) {
        assertThat(stream.send(order(id))).isEqualTo(id);
      }
      assertThat(stream.finish().last()).isEqualTo(5_000);
      assertThat(door.progress("resumed", 5_000).path("done").asLong()).isEqualTo(5_000);
    }
    assertThat(count()).isEqualTo(before + 5_000);
  }

  @Test
  void aStreamThatIsNotAllowedFailsWithTheProblem() {
    try (DoorClient client = client(door.address())) {
      StatementStream stream = client.stream("unknown", "orders.none", StreamOptions.defaults());
      assertThatThrownBy(
              () -> {
                stream.send(order(1));
                stream.finish();
              })
          .isInstanceOfSatisfying(
              DoorProblem.class,
              problem -> assertThat(problem.name()).isEqualTo("unknown-statement"));
    }
  }

  @Test
  void aRefusalAfterALostAnswerDoesNotSayThatNothingWasAccepted() throws Exception {
    List<Cut> cuts = Collections.nCopies(6, CuttingProxy.NO_ANSWER); // for at least 1.5 s
    try (CuttingProxy proxy = CuttingProxy.to(door.address(), cuts);
        DoorClient client = client(proxy.address())) {
      Instant deliverBy = Instant.now().plusSeconds(1);
      assertThatThrownBy(() -> client.send("orders.place", order(1), "lost", deliverBy))
          .isInstanceOf(DoorUnavailable.class)
          .hasMessageContaining("may have been accepted")
          .cause()
          .isInstanceOfSatisfying(
              DoorProblem.class,
              problem -> assertThat(problem.name()).isEqualTo("invalid-request"));
      assertThatThrownBy(() -> client.send("orders.place", order(1), "late", deliverBy))
          .isInstanceOf(DoorProblem.class);
    }
  }

  /** Of a proxy: it says nothing of the statement. */
  @Test
  void aBadGatewayDoesNotSayThatNothingWasAccepted() throws Exception {
    HttpServer proxy = answering(502, "<html>Bad Gateway</html>", 0);
    proxy.start();
    DoorOptions options = DoorOptions.defaults().withRetryFor(Duration.ofMillis(300));
    try (DoorClient client = DoorClient.to(address(proxy), options)) {
      assertThatThrownBy(() -> client.send("orders.place", order(1)))
          .isInstanceOf(DoorUnavailable.class)
          .hasMessageContaining("may have been accepted");
    } finally {
      proxy.stop(0);
    }
  }

  @Test
  void aRefusalAfterARefusedConnectionSaysThatNothingWasAccepted() throws Exception {
    int port = Ports.free();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        DoorClient client = client(URI.create("http://127.0.0.1:" + port))) {
      Future<Receipt> receipt = threads.submit(() -> client.send("orders.place", order(1)));
      await().pollDelay(Duration.ofMillis(300)).until(() -> true);
      assertThat(receipt.isDone()).isFalse();
      HttpServer door =
          answering(400, "{\"type\":\"urn:forebay:problem:invalid-parameters\"}", port);
      door.start();
      try {
        assertThatThrownBy(receipt::get)
            .cause()
            .isInstanceOfSatisfying(
                DoorProblem.class,
                problem -> assertThat(problem.name()).isEqualTo("invalid-parameters"));
      } finally {
        door.stop(0);
      }
    }
  }

  @Test
  void numbersOfAResultAreReadAsTheyAreWritten() throws Exception {
    String rows = "[[{\"price\":1.10,\"id\":12345678901234567890},0.1000000000000000055511]]";
    HttpServer fake = answering(200, "{\"state\":\"done\",\"rows\":" + rows + "}", 0);
    fake.start();
    try (DoorClient client = client(address(fake))) {
      assertThat(client.result(new Receipt("id", "/result?a=1"), WAIT).path("rows"))
          .hasToString(rows);
    } finally {
      fake.stop(0);
    }
  }

  private static HttpServer answering(int status, String body, int port) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(status, body.length());
          exchange.getResponseBody().write(body.getBytes(US_ASCII));
          exchange.close();
        });
    return server;
  }

  private static URI address(HttpServer server) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Test
  void aStatementThatIsNotPerformedInTimeExpires() throws Exception {
    long before = count();
    door.pause();
    try (DoorClient client = client(door.address())) {
      Receipt late = client.send("orders.place", order(2), "late", Instant.now().plusMillis(300));
      assertThat(client.result(late, Duration.ofMillis(400)).path("state").asString())
          .isEqualTo("pending");
      door.resume();
      assertThat(client.result(late, WAIT).at("/error/kind").asString()).isEqualTo("EXPIRED");
    } finally {
      door.resume();
    }
    assertThat(count()).isEqualTo(before);
  }
}
