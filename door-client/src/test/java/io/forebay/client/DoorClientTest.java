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
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
          .until(() -> client.perform("orders.count", Map.of(), WAIT).error() == null);
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
      Object n = client.perform("orders.count", Map.of(), WAIT).rows().getFirst().getFirst();
      return ((Number) n).longValue();
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
      assertThat(receipt.gateway()).isEqualTo("main");
      StatementResult result = client.result(receipt, WAIT);
      assertThat(result.state()).isEqualTo(StatementResult.State.DONE);
      assertThat(result.count()).isEqualTo(1);
      assertThat(result.id()).isEqualTo(receipt.id());
    }
    assertThat(count()).isEqualTo(before + 1);
  }

  @Test
  void aKeyOfTheCallerIsPerformedOnce() throws Exception {
    long before = count();
    try (DoorClient client = client(door.address())) {
      StatementResult first = client.perform("orders.place", order(1), "order-1", WAIT);
      StatementResult second = client.perform("orders.place", order(1), "order-1", WAIT);
      assertThat(second.id()).isEqualTo(first.id());
      assertThatThrownBy(() -> client.perform("orders.place", order(2), "order-1", WAIT))
          .isInstanceOfSatisfying(
              DoorProblem.class, problem -> assertThat(problem.name()).isEqualTo("key-reused"));
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
                assertThat(problem.type()).isEqualTo("urn:forebay:problem:invalid-parameters");
                assertThat(problem.status()).isEqualTo(400);
                assertThat(problem.title()).isEqualTo("Parameters are not valid");
                assertThat(problem.detail()).contains("nothing was accepted");
                assertThat(problem.retryAfter()).isNull();
                assertThat(problem.errors())
                    .extracting(DoorProblem.FieldError::field)
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
        DoorClient client = client(proxy.address());
        StatementStream stream =
            client.stream("cut", "orders.place", StreamOptions.defaults().withBuffer(3_000))) {
      for (long id = 1; id <= 10_000; id++) {
        assertThat(stream.send(order(id))).isEqualTo(id);
      }
      assertThat(stream.finish()).isEqualTo(new StreamEnd(10_000, 10_000, 0));
      assertThat(proxy.cuts()).isGreaterThan(2);
      StreamProgress progress = client.progress("cut", 10_000, WAIT);
      assertThat(progress.done()).isEqualTo(10_000);
      assertThat(progress.failed()).isZero();
      assertThat(progress.repeated()).as("some lines were sent twice").isPositive();
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
                    line + " " + problem.name() + " " + problem.errors().getFirst().field()));
    try (CuttingProxy proxy = CuttingProxy.to(door.address(), List.of(CuttingProxy.NO_ANSWER));
        DoorClient client = client(proxy.address());
        StatementStream stream = client.stream("refused", "orders.place", options)) {
      stream.send(order(1));
      stream.send(Map.of("id", 2));
      stream.send(order(3));
      stream.send(Map.of("item", "tea"));
      assertThat(stream.finish()).isEqualTo(new StreamEnd(4, 2, 2));
      assertThat(client.progress("refused", 2, WAIT).done()).isEqualTo(2);
    }
    assertThat(refused).containsExactly("2 invalid-parameters /item", "4 invalid-parameters /id");
  }

  @Test
  void theSenderWaitsWhileTheQueueIsFull() throws Exception {
    long before = count();
    AtomicLong sent = new AtomicLong();
    door.pause();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        DoorClient client = client(door.address());
        StatementStream stream =
            client.stream("full", "orders.place", StreamOptions.defaults().withBuffer(500))) {
      Future<StreamEnd> end =
          threads.submit(() -> {
            for (long id = 1; id <= 20_000; id++) {
              sent.set(stream.send(order(id)));
            }
            return stream.finish();
          });
      long full;
      do {
        full = sent.get();
        Thread.sleep(1_500);
      } while (full == 0 || sent.get() != full);
      assertThat(end.isDone()).isFalse();
      assertThat(full).isLessThan(20_000).isEqualTo(stream.acknowledged() + 500);
      door.resume();
      assertThat(end.get()).isEqualTo(new StreamEnd(20_000, 20_000, 0));
      assertThat(client.progress("full", 20_000, WAIT).done()).isEqualTo(20_000);
    } finally {
      door.resume();
    }
    assertThat(count()).isEqualTo(before + 20_000);
  }

  @Test
  void anotherClientResumesAfterTheLastAcknowledgedLine() throws Exception {
    long before = count();
    long acknowledged;
    try (DoorClient client = client(door.address());
        StatementStream stream =
            client.stream("resumed", "orders.place", StreamOptions.defaults())) {
      for (long id = 1; id <= 3_000; id++) {
        stream.send(order(id));
      }
      await().until(() -> stream.acknowledged() > 0);
      acknowledged = stream.acknowledged();
    }
    try (DoorClient client = client(door.address());
        StatementStream stream =
            client.stream(
                "resumed", "orders.place", StreamOptions.defaults().withFrom(acknowledged + 1))) {
      for (long id = acknowledged + 1; id <= 5_000; id++) {
        assertThat(stream.send(order(id))).isEqualTo(id);
      }
      assertThat(stream.finish().last()).isEqualTo(5_000);
      assertThat(client.progress("resumed", 5_000, WAIT).done()).isEqualTo(5_000);
    }
    assertThat(count()).isEqualTo(before + 5_000);
  }

  @Test
  void aStreamThatIsNotAllowedFailsWithTheProblem() {
    try (DoorClient client = client(door.address());
        StatementStream stream =
            client.stream("unknown", "orders.none", StreamOptions.defaults())) {
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
  void eachResultComesOnceAndInOrderThoughConnectionsBreak() throws Exception {
    List<Cut> cuts = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      cuts.add(i % 2 == 0 ? CuttingProxy.NO_ANSWER : new Cut(Long.MAX_VALUE, 2_000 + 3_000 * i));
    }
    Map<Integer, Long> last = new HashMap<>();
    Set<Long> lines = new HashSet<>();
    int keyed = 0;
    try (CuttingProxy proxy = CuttingProxy.to(door.address(), cuts);
        DoorClient direct = client(door.address());
        DoorClient client = client(proxy.address())) {
      ResultQuery query =
          ResultQuery.from(direct.results(ResultQuery.from(ResultQuery.END), Duration.ZERO).next())
              .withLimit(200);
      assertThat(query.from()).isNotEqualTo(ResultQuery.END);
      try (StatementStream stream =
          direct.stream("published", "orders.place", StreamOptions.defaults())) {
        for (long id = 1; id <= 3_000; id++) {
          stream.send(order(id));
        }
        stream.finish();
      }
      direct.send("orders.place", order(3_001), "order-3001");
      while (lines.size() + keyed < 3_001) {
        ResultPage page = client.results(query, WAIT);
        assertThat(page.results()).hasSizeBetween(1, 200);
        for (ResultPage.Entry each : page.results()) {
          assertThat(each.position()).isGreaterThan(last.getOrDefault(each.partition(), -1L));
          last.put(each.partition(), each.position());
          assertThat(each.result().count()).isEqualTo(1);
          if (each.stream() == null) {
            assertThat(each.key()).isEqualTo("order-3001");
            keyed++;
          } else {
            assertThat(each.stream()).isEqualTo("published");
            assertThat(lines.add(each.line())).isTrue();
          }
        }
        query = query.withFrom(page.next());
      }
      assertThat(keyed).isEqualTo(1);
      assertThat(proxy.cuts()).isEqualTo(6);
      ResultPage none = client.results(query.withStream("published"), Duration.ofMillis(300));
      assertThat(none.results()).isEmpty();
      assertThat(direct.results(query.withGateway("main"), Duration.ZERO).results()).isEmpty();
    }
  }

  @Test
  void resultsFromTheEndAreAllFromTheFirstAnswerOn() throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(door.address(), List.of(CuttingProxy.NO_ANSWER));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        DoorClient direct = client(door.address());
        DoorClient client = client(proxy.address())) {
      Future<ResultPage> page =
          threads.submit(() -> client.results(ResultQuery.from(ResultQuery.END), WAIT));
      await().until(() -> proxy.answers() > 0);
      direct.perform("orders.place", order(1), "from-the-end", WAIT);
      assertThat(page.get().results())
          .extracting(ResultPage.Entry::key)
          .containsExactly("from-the-end");
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
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
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
  void aDamagedResultIsNotPending() {
    StatementResult result = StatementResult.of(Json.read("{\"state\": \"unreadable\"}"), "");
    assertThat(result.state()).isEqualTo(StatementResult.State.UNREADABLE);
  }

  @Test
  void aPositionThatIsNotOfTheDoorIsRefused() {
    try (DoorClient client = client(door.address())) {
      assertThatThrownBy(() -> client.results(ResultQuery.from("00000000-0.0"), WAIT))
          .isInstanceOfSatisfying(
              DoorProblem.class,
              problem -> {
                assertThat(problem.status()).isEqualTo(410);
                assertThat(problem.name()).isEqualTo("results-expired");
              });
      assertThatThrownBy(() -> client.results(ResultQuery.from("here & there"), WAIT))
          .isInstanceOfSatisfying(
              DoorProblem.class,
              problem -> assertThat(problem.name()).isEqualTo("invalid-request"));
    }
    assertThatThrownBy(() -> new ResultQuery("", null, null, 0))
        .hasMessage("from is empty; limit is 0, allowed: 1 to 10000");
  }

  @Test
  void whatWaitsCanBeCancelledAndExpires() throws Exception {
    long before = count();
    door.pause();
    try (DoorClient client = client(door.address())) {
      Receipt cancelled = client.send("orders.place", order(1));
      assertThat(client.cancel(cancelled.location())).isTrue();
      Receipt expired =
          client.send("orders.place", order(2), "late", Instant.now().plusMillis(300));
      try (StatementStream stream =
          client.stream("cancelled", "orders.place", StreamOptions.defaults())) {
        stream.send(order(4));
        stream.finish();
      }
      assertThat(client.cancelStream("cancelled").cancelled()).isTrue();
      await().pollDelay(Duration.ofMillis(400)).until(() -> true);
      door.resume();
      assertThat(client.progress("cancelled", 1, WAIT).failed()).isEqualTo(1);
      assertThat(client.result(cancelled, WAIT).error())
          .extracting(StatementResult.Failure::kind)
          .isEqualTo("CANCELLED");
      assertThat(client.result(expired, WAIT).error())
          .extracting(StatementResult.Failure::kind)
          .isEqualTo("EXPIRED");
      StatementResult done = client.perform("orders.place", order(3), WAIT);
      assertThat(client.cancel(done.location())).isFalse();
    }
    assertThat(count()).isEqualTo(before + 1);
  }
}
