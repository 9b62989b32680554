/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.operations.Door;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** Limits of single callers, and callers without limits beside them. */
class CallerLimitsTest {

  private static final String CATALOGUE =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (id, item) values (:id, 'tea')
          params: [{name: id, type: long}]
        - name: orders.all
          sql: select id from orders
      """;
  private static final String TABLES =
      "create table orders (id bigint primary key, item varchar(200) not null);";
  private static final String INSERT = "/api/v1/statements/orders.insert";
  private static final List<String> LIMITS =
      List.of(
          "slow.rate=1",
          "slow.burst=3",
          "dripping.rate=20",
          "dripping.burst=5",
          "single.max-requests=1");

  private final AtomicLong ids = new AtomicLong();
  @TempDir Path directory;
  private RunningDoor door;

  private RunningDoor start(String backend, Class<?>... more) throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(data, CATALOGUE);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, TABLES));
    properties.add("forebay.gateways.main.partitions=2");
    properties.add("forebay.backend=" + backend);
    LIMITS.forEach(limit -> properties.add("forebay.door.callers." + limit));
    DoorLimits limits =
        new DoorLimits(Duration.ofSeconds(2), Duration.ofSeconds(30), 10, 10, 1 << 20, 1 << 20);
    RunningDoor started = RunningDoor.start(data, properties, limits, more);
    await()
        .untilAsserted(() ->
            assertThat(started.get("web", "/api/v1/statements").text())
                .doesNotContain("unchecked"));
    return started;
  }

  @BeforeEach
  void open() throws Exception {
    door = start("memory");
  }

  @AfterEach
  void close() {
    door.close();
  }

  private Answer insert(String caller, String query) {
    return door.post(caller, INSERT + query, "{\"id\":" + ids.incrementAndGet() + "}");
  }

  private Answer together(String caller, int statements) {
    String all =
        LongStream.range(0, statements)
            .mapToObj(_ ->
                "{\"name\":\"orders.insert\",\"params\":{\"id\":" + ids.incrementAndGet() + "}}")
            .collect(Collectors.joining(","));
    return door.post(caller, "/api/v1/statements", "{\"statements\":[" + all + "]}");
  }

  private Answer stream(String caller, int lines) {
    String body =
        LongStream.range(0, lines)
            .mapToObj(_ -> "{\"id\":" + ids.incrementAndGet() + "}\n")
            .collect(Collectors.joining());
    return door.send(
        door.request(caller, INSERT + "?stream=s")
            .header("Content-Type", "application/x-ndjson")
            .POST(BodyPublishers.ofString(body)));
  }

  private static JsonNode last(Answer stream) {
    return RunningDoor.JSON.readTree(stream.text().lines().toList().getLast());
  }

  private static void assertRefused(Answer answer, String problem, int limit) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(429);
    assertThat(answer.problem()).isEqualTo(problem);
    assertThat(answer.body().get("limit").asInt()).isEqualTo(limit);
    long millis = answer.body().get("retryAfterMillis").asLong();
    assertThat(millis).isPositive();
    assertThat(answer.header("Retry-After")).isEqualTo(String.valueOf((millis + 999) / 1000));
  }

  @Test
  void aRequestBeyondTheRateIsRefusedUntilThereAreTokens() {
    for (int i = 0; i < 3; i++) {
      assertThat(insert("slow", "").status()).isEqualTo(202);
    }
    Answer refused = insert("slow", "");
    assertRefused(refused, "rate-limit-exceeded", 1);
    assertThat(refused.body().get("burst").asInt()).isEqualTo(3);
    assertThat(refused.body().get("available").asInt()).isZero();
    assertThat(refused.body().get("retryAfterMillis").asLong()).isLessThanOrEqualTo(1_000);
    assertThat(insert("web", "").status()).isEqualTo(202);

    long millis = refused.body().get("retryAfterMillis").asLong();
    await()
        .pollDelay(Duration.ofMillis(millis))
        .untilAsserted(() -> assertThat(insert("slow", "").status()).isEqualTo(202));
  }

  @Test
  void statementsTogetherCostTheirNumber() {
    assertThat(together("slow", 3).status()).isEqualTo(202);
    Answer refused = together("slow", 3);
    assertRefused(refused, "rate-limit-exceeded", 1);
    assertThat(refused.body().get("retryAfterMillis").asLong()).isBetween(1_500L, 3_000L);
  }

  @Test
  void aStreamIsSlowedToTheRate() {
    long begin = System.nanoTime();
    Answer answer = stream("dripping", 25);
    assertThat(last(answer).get("complete").asBoolean()).as(answer.text()).isTrue();
    assertThat(last(answer).get("accepted").asInt()).isEqualTo(25);
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .as("20 lines after the burst of 5, at 20 per second")
        .isGreaterThanOrEqualTo(Duration.ofMillis(1_000));
    assertThat(last(stream("web", 100)).get("accepted").asInt()).isEqualTo(100);
  }

  @Test
  void onlySoManyRequestsOfACallerAreInFlight() throws Exception {
    pause(door.service(), "so that a request waits");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Answer> waiting = threads.submit(() -> insert("single", "?wait=30s"));
      await().until(() -> door.bean(StatementClient.class).outstanding() == 1);
      Answer refused = insert("single", "");
      assertRefused(refused, "too-many-requests", 1);
      assertThat(door.get("single", "/api/v1/results/" + new UUID(1, 1)).problem())
          .isEqualTo("too-many-requests");
      assertThat(insert("web", "").status()).isEqualTo(202);
      door.service().resume();
      assertThat(waiting.get().status()).isEqualTo(200);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(insert("single", "?wait=30s").status()).isEqualTo(200);
    }
  }

  @Test
  void aStreamIsARequestUntilItEnds() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", door.address().getPort())) {
      socket
          .getOutputStream()
          .write(
              ("POST "
                      + INSERT
                      + " HTTP/1.1\r\nHost: localhost\r\nX-Caller: single\r\n"
                      + "Content-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n{")
                  .getBytes(UTF_8));
      await().until(() -> stream("single", 0).status() == 429);
      assertRefused(stream("single", 1), "too-many-requests", 1);
      assertRefused(insert("single", ""), "too-many-requests", 1);
      assertThat(stream("web", 1).status()).isEqualTo(200);
    }
    await().until(() -> stream("single", 1).status() == 200);
    Door.Caller single =
        door.bean(Door.class).document().callers().stream()
            .filter(it -> it.name().equals("single"))
            .findFirst()
            .orElseThrow();
    assertThat(single.lastRefused()).isNotNull();
    assertThat(single.limits())
        .singleElement()
        .returns("max-requests", Door.Limit::name)
        .returns(1L, Door.Limit::most)
        .returns(0L, Door.Limit::used)
        .matches(it -> it.refused() >= 3);
  }

  private Answer lookUp(String caller) {
    return door.get(caller, "/api/v1/results/" + UUID.randomUUID() + "?partition=0&position=0");
  }

  /** Each look-up has a tailer; on Kafka it is a consumer. */
  @Test
  void aThousandLookUpsHaveFewPlaces() throws Exception {
    door.close();
    door = start("memory", CountedTailers.class);
    assertThat(insert("web", "?wait=10s").status()).isEqualTo(200);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CountedTailers.hold = new CountDownLatch(1);
      try {
        lookUpWhileTailersAreHeld(threads);
      } finally {
        CountedTailers.hold.countDown();
      }
    }
    assertThat(lookUp("looker").status()).isEqualTo(404);
  }

  private void lookUpWhileTailersAreHeld(ExecutorService threads) throws Exception {
    int before = CountedTailers.open.get();
    List<Future<Answer>> many =
        IntStream.range(0, 1_000).mapToObj(_ -> threads.submit(() -> lookUp("looker"))).toList();
    await().until(() -> many.stream().filter(Future::isDone).count() == 984);
    for (Future<Answer> each : many) {
      if (each.isDone()) {
        assertRefused(each.get(), "too-many-requests", 16);
      }
    }
    assertThat(CountedTailers.open.get() - before).isEqualTo(16);
    String id = "/api/v1/results/" + UUID.randomUUID();
    List<Callable<Answer>> ways =
        List.of(
            () -> door.get("looker", id + "?partition=0&position=0&wait=5s"),
            () -> door.get("looker", "/api/v1/results?from=start"));
    for (Future<Answer> refused : threads.invokeAll(ways, 30, TimeUnit.SECONDS)) {
      assertRefused(refused.get(), "too-many-requests", 16);
    }
    assertThat(door.get("looker", id).status()).as("needs no queue").isEqualTo(404);
  }

  /** Counts the tailers of all queues; while {@code hold} is closed, new ones cannot read. */
  @Configuration(proxyBeanMethods = false)
  static class CountedTailers {

    private static final AtomicInteger open = new AtomicInteger();
    private static volatile CountDownLatch hold = new CountDownLatch(0);

    @Bean
    QueueBackend countingBackend() {
      return counted(QueueBackend.class, MemoryBackend.open());
    }

    private static <T> T counted(Class<T> type, T target) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (_, method, arguments) -> {
                Object result;
                try {
                  result = method.invoke(target, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
                return switch (result) {
                  case MessageQueue queue -> counted(MessageQueue.class, queue);
                  case Tailer tailer -> {
                    open.incrementAndGet();
                    hold.await();
                    yield counted(Tailer.class, tailer);
                  }
                  case null, default -> {
                    if (target instanceof Tailer && method.getName().equals("close")) {
                      open.decrementAndGet();
                    }
                    yield result;
                  }
                };
              }));
    }
  }
}
