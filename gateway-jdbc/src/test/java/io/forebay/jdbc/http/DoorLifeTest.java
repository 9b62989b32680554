/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.jdbc.catalogue.CatalogueInvalid;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.memory.MemoryBackend;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Starts, restarts, reloads, and unavailable databases. */
class DoorLifeTest {

  private static final String ENTRY =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (id, item) values (:id, :item)
          params: [{name: id, type: long}, {name: item, type: text}]
      """;
  private static final String SECOND =
      """
        - name: orders.all
          sql: select id from orders
      """;
  private static final String INSERT = "/api/v1/statements/orders.insert";
  private static final String TEA = "{\"id\":1,\"item\":\"tea\"}";

  @TempDir Path directory;
  private Path data;

  @BeforeEach
  void catalogue() throws IOException {
    data = directory.resolve("data");
    RunningDoor.catalogue(data, ENTRY);
  }

  private RunningDoor start(String... more) throws IOException {
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES));
    properties.addAll(List.of(more));
    return RunningDoor.start(data, properties);
  }

  private static void awaitChecked(RunningDoor door) {
    await()
        .untilAsserted(() ->
            assertThat(door.get("web", "/api/v1/statements").text()).doesNotContain("unchecked"));
  }

  @Test
  void aStatementAcceptedBeforeARestartHasItsResultAfterwards() throws Exception {
    String done;
    String pending;
    String first;
    try (RunningDoor door = start("forebay.backend=chronicle")) {
      Answer answer = door.post("web", INSERT + "?wait=10s", TEA, "Idempotency-Key", "one");
      done = answer.header("Location");
      first = answer.text();
      pause(door.service(), "so that the next is performed after the restart");
      pending =
          door.post("web", INSERT, "{\"id\":2,\"item\":\"tea\"}", "Idempotency-Key", "two")
              .header("Location");
      assertThat(door.get("web", pending).body().get("state").asString()).isEqualTo("pending");
    }
    try (RunningDoor door = start("forebay.backend=chronicle")) {
      assertThat(door.get("web", pending + "&wait=10s").body().get("count").asLong()).isEqualTo(1);
      assertThat(door.get("web", done).text()).isEqualTo(first);
      assertThat(door.post("web", INSERT + "?wait=10s", TEA, "Idempotency-Key", "one").text())
          .isEqualTo(first);
      assertThat(door.get("web", done.replaceAll("\\?.*", "")).text()).isEqualTo(first);
    }
  }

  @Test
  void independentStatementsOfTheCatalogueArePerformedInGroups() throws Exception {
    RunningDoor.catalogue(
        data,
        ENTRY
            + "    independent: true\n"
            + "  - {name: orders.clear, sql: delete from orders, independent: true}\n");
    try (RunningDoor door = start()) {
      pause(door.service(), "so that all come together");
      door.post("web", INSERT, TEA);
      String clear = door.post("web", "/api/v1/statements/orders.clear", "").header("Location");
      door.post("web", INSERT, "{\"id\":2,\"item\":\"tea\"}");
      door.service().resume();
      assertThat(door.get("web", clear + "&wait=10s").body().path("count").asLong())
          .as("after both inserts")
          .isEqualTo(2);
    }
  }

  @Test
  void aCatalogueIsReloadedCompletelyOrNotAtAll() throws Exception {
    try (RunningDoor door = start()) {
      awaitChecked(door);
      RunningDoor.catalogue(data, ENTRY + SECOND);
      assertThat(door.post("", "/api/v1/catalogue/reload", "").status()).isEqualTo(401);
      assertThat(door.post("guest", "/api/v1/catalogue/reload", "").status()).isEqualTo(403);
      assertThat(door.get("web", "/api/v1/statements").body().get("statements")).hasSize(1);
      Answer reloaded = door.post("web", "/api/v1/catalogue/reload", "");
      assertThat(reloaded.text()).isEqualTo("{\"statements\":2,\"uncheckedGateways\":[]}");
      assertThat(door.post("web", "/api/v1/statements/orders.all?wait=10s", "{}").status())
          .isEqualTo(200);

      RunningDoor.catalogue(
          data,
          """
          statements:
            - name: orders.none
              sql: select id from nowhere
            - name: orders.more
              sql: select id from orders where id = :id
          """);
      Answer refused = door.post("web", "/api/v1/catalogue/reload", "");
      assertThat(refused.status()).isEqualTo(422);
      assertThat(refused.problem()).isEqualTo("catalogue-invalid");
      assertThat(refused.body().get("errors")).hasSize(1);
      assertThat(refused.text())
          .contains("catalogue.yaml] - 5:10", "orders.more", ":id, which is not in params")
          .doesNotContain("select");

      RunningDoor.catalogue(data, ENTRY + "  - {name: orders.none, sql: select id from nowhere}\n");
      Answer broken = door.post("web", "/api/v1/catalogue/reload", "");
      assertThat(broken.status()).isEqualTo(422);
      assertThat(broken.text())
          .contains("orders.none", "the database refuses it")
          .doesNotContain("select");

      assertThat(door.get("web", "/api/v1/statements").body().get("statements")).hasSize(2);
      assertThat(door.post("web", "/api/v1/statements/orders.all?wait=10s", "{}").status())
          .isEqualTo(200);
      whatReloadsChangeIsInTheAudit(door);
    }
  }

  private void whatReloadsChangeIsInTheAudit(RunningDoor door) throws IOException {
    String independent = ENTRY + "    independent: true\n";
    RunningDoor.catalogue(data, independent + "    version: 2\n" + ENTRY.substring(12));
    assertThat(door.post("web", "/api/v1/catalogue/reload", "").status()).isEqualTo(200);
    RunningDoor.catalogue(data, independent);
    assertThat(door.post("web", "/api/v1/catalogue/reload", "").status()).isEqualTo(200);
    List<Audit.Entry> entries =
        door.bean(Audit.class).before(Long.MAX_VALUE, 10).stream()
            .map(Audit.Recorded::entry)
            .filter(it -> it.action().equals("catalogue.reload"))
            .toList()
            .reversed();
    assertThat(entries)
        .extracting(Audit.Entry::outcome)
        .containsExactly("allowed", "failed: 1 error", "failed: 1 error", "allowed", "allowed");
    assertThat(entries.getFirst().actor())
        .isEqualTo(new Actor(Actor.Kind.APPLICATION, "web", "admin", "127.0.0.1"));
    assertThat(entries.stream().map(it -> it.change().text().replaceAll("[0-9a-f]{16}", "#")))
        .containsExactly(
            "fingerprint: # → #; statements: none → orders.all@1:# (main)",
            "",
            "",
            "fingerprint: # → #; statements: orders.all@1:# (main) →"
                + " orders.insert@2:# (main, independent)",
            "fingerprint: # → #; statements: orders.insert@1:# (main);"
                + " orders.insert@2:# (main, independent) →"
                + " orders.insert@1:# (main, independent)");
  }

  @Test
  void aStartWithAnInvalidCatalogueIsRefusedWithAllErrors() throws Exception {
    RunningDoor.catalogue(
        data,
        """
        statements:
          - name: a
            sql: select :x
          - name: a
            sql: commit
            gateway: nowhere
        """);
    assertThatThrownBy(this::start)
        .rootCause()
        .isInstanceOf(CatalogueInvalid.class)
        .hasMessageContainingAll(
            "catalogue.yaml] - 3:10: a: the text uses :x",
            "catalogue.yaml] - 4:11: a: duplicate statement",
            "catalogue.yaml] - 6:14: a: unknown gateway nowhere (gateways: main)",
            "catalogue.yaml] - 5:10: a: sql: COMMIT controls the transaction");
    assertThatThrownBy(() -> start("forebay.door.catalogue=file:" + data + "/none.yaml"))
        .rootCause()
        .hasMessageContaining("none.yaml]: there is no such file");
    assertThatThrownBy(() -> start("forebay.door.catalogue=file:" + data + "/none-*.yaml"))
        .rootCause()
        .hasMessageContaining("none-*.yaml]: there is no such file");
  }

  @Test
  void withoutACatalogueTheDoorOpensWithoutStatements() throws Exception {
    java.nio.file.Files.delete(data.resolve("catalogue.yaml"));
    try (RunningDoor door = start()) {
      assertThat(door.get("web", "/api/v1/statements").text()).isEqualTo("{\"statements\":[]}");
    }
  }

  /** The audit would be in the database that is down. */
  @Configuration(proxyBeanMethods = false)
  static class WithoutAudit {

    @Bean
    @Primary
    Audit noAudit() {
      return Audit.none();
    }
  }

  @Test
  void acceptsStatementsWhileTheDatabaseIsDownAndChecksThemWhenItResponds() throws Exception {
    RunningDoor.catalogue(
        data, ENTRY + SECOND + "  - {name: orders.none, sql: select id from nowhere}\n");
    try (TestPostgres postgres = TestPostgres.start()) {
      postgres.createTable("create table orders (id bigint primary key, item text)");
      postgres.kill();
      try (RunningDoor door =
          RunningDoor.start(data, PostgresDoorTest.properties(postgres), WithoutAudit.class)) {
        assertThat(door.get("web", "/api/v1/statements").text())
            .contains("unchecked")
            .doesNotContain("ready", "broken");
        Answer accepted = door.post("web", INSERT + "?wait=200ms", TEA);
        assertThat(accepted.status()).isEqualTo(202);
        String location = accepted.header("Location");
        assertThat(door.get("web", location).body().get("state").asString()).isEqualTo("pending");
        assertThat(door.get("web", location.replaceAll("\\?.*", "")).problem())
            .isEqualTo("database-unavailable");
        assertThat(door.post("web", "/api/v1/catalogue/reload", "").text())
            .isEqualTo("{\"statements\":3,\"uncheckedGateways\":[\"main\"]}");

        postgres.restart();
        assertThat(door.get("web", location + "&wait=30s").body().path("count").asLong())
            .isEqualTo(1);
        awaitChecked(door);
        assertThat(door.get("web", "/api/v1/statements").text()).contains("ready", "broken");
        assertThat(door.post("web", "/api/v1/statements/orders.none", "").problem())
            .isEqualTo("statement-broken");

        postgres.createTable("create table nowhere (id bigint)");
        await()
            .untilAsserted(() ->
                assertThat(door.get("web", "/api/v1/statements").text()).doesNotContain("broken"));
        assertThat(door.post("web", "/api/v1/statements/orders.none?wait=10s", "").status())
            .isEqualTo(200);
      }
    }
  }

  @Test
  void aFullQueueRefusesWithARetryTime() throws Exception {
    List<String> properties = HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES);
    try (RunningDoor door = RunningDoor.start(data, properties, RunningDoor.SmallQueues.class)) {
      pause(door.service(), "so that the queue fills up");
      String large = "{\"id\":1,\"item\":\"" + "x".repeat(500_000) + "\"}";
      Answer refused = door.post("web", INSERT, large);
      for (int i = 0; i < 10 && refused.status() == 202; i++) {
        refused = door.post("web", INSERT, large);
      }
      assertThat(refused.status()).isEqualTo(429);
      assertThat(door.bean(StatementClient.class).outstanding())
          .as("statements that nobody waits for")
          .isZero();
      assertThat(refused.problem()).isEqualTo("queue-full");
      long millis = refused.body().get("retryAfterMillis").asLong();
      assertThat(millis).isPositive();
      assertThat(refused.header("Retry-After")).isEqualTo(String.valueOf((millis + 999) / 1000));
      door.service().in().stopAccepting();
      Answer closed = door.post("web", INSERT, TEA);
      assertThat(closed.status()).isEqualTo(503);
      assertThat(closed.problem()).isEqualTo("queue-unavailable");
      assertThat(closed.body().get("reason").asString()).isEqualTo("closed");
      door.service().resume();
    }
  }

  @Test
  void aRequestWithUnknownOutcomeMayBeRetriedWithTheSameKey() throws Exception {
    List<String> properties = HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES);
    DoorLimits limits =
        new DoorLimits(Duration.ofMillis(50), Duration.ofSeconds(30), 10, 10, 1 << 20, 1 << 20);
    try (RunningDoor door = RunningDoor.start(data, properties, limits, NeverAcknowledged.class)) {
      String key = "once";
      Answer first = door.post("web", INSERT, TEA, "Idempotency-Key", key);
      assertThat(first.status()).isEqualTo(503);
      assertThat(first.problem()).isEqualTo("outcome-unknown");
      assertThat(first.header("Retry-After")).isEqualTo("1");
      assertThat(first.body().get("idempotencyKey").asString()).isEqualTo(key);
      assertThat(door.post("web", INSERT, TEA, "Idempotency-Key", key).problem())
          .isEqualTo("outcome-unknown");

      String id = io.forebay.call.Message.keyedId("web", key).toString();
      await()
          .untilAsserted(() ->
              assertThat(door.get("web", "/api/v1/results/" + id).text()).contains("\"count\":1"));
      await().until(() -> door.service().position(0) == 2);
      assertThat(door.get("web", "/api/v1/results/" + id + "?partition=0&position=1").text())
          .contains("\"count\":1");

      Answer unkeyed = door.post("web", INSERT, TEA.replace("1", "2"));
      assertThat(unkeyed.problem()).isEqualTo("outcome-unknown");
      assertThat(unkeyed.body().has("idempotencyKey")).isFalse();
      String result = unkeyed.body().get("result").asString();
      await()
          .untilAsserted(() -> assertThat(door.get("web", result).text()).contains("\"count\":1"));
      String never = result.replace("position=2", "position=3");
      assertThat(door.get("web", never).problem()).isEqualTo("unknown-result");
      assertThat(door.get("other", result).problem()).isEqualTo("unknown-result");
    }
  }

  @Test
  void aStatementThatPerhapsWasAppendedIsAnsweredAsUnknown() throws Exception {
    List<String> properties = HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES);
    try (RunningDoor door = RunningDoor.start(data, properties, FailingAppends.class)) {
      Answer keyed = door.post("web", INSERT, TEA, "Idempotency-Key", "k");
      assertThat(keyed.status()).isEqualTo(503);
      assertThat(keyed.problem()).isEqualTo("outcome-unknown");
      assertThat(keyed.body().get("idempotencyKey").asString()).isEqualTo("k");

      Answer unkeyed = door.post("web", INSERT, TEA);
      assertThat(unkeyed.status()).isEqualTo(503);
      assertThat(unkeyed.problem()).isEqualTo("outcome-unknown");
      String result = unkeyed.body().get("result").asString();
      assertThat(result).contains("partition=0&position=0");
      assertThat(door.get("web", result).problem()).isEqualTo("unknown-result");
    }
  }

  /** A queue that cannot determine whether it appended a message. */
  @Configuration(proxyBeanMethods = false)
  static class FailingAppends {

    @Bean(destroyMethod = "close")
    QueueBackend backend() {
      return as(
          QueueBackend.class,
          MemoryBackend.open(),
          "append",
          () -> new QueueFailed("cannot determine whether message 0 was written", null));
    }
  }

  /** A queue that accepts every message but never confirms that it is safe. */
  @Configuration(proxyBeanMethods = false)
  static class NeverAcknowledged {

    @Bean(destroyMethod = "close")
    QueueBackend backend() {
      return as(
          QueueBackend.class, MemoryBackend.open(), "await", () -> new TimeoutException("never"));
    }
  }

  /**
   * Delegates to the target, and wraps the objects that it opens in the same way, except that a
   * method of its appenders fails.
   */
  private static <T> T as(Class<T> type, T target, String fails, Supplier<Exception> failure) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (target instanceof Appender && method.getName().equals(fails)) {
                throw failure.get();
              }
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              return switch (result) {
                case MessageQueue queue -> as(MessageQueue.class, queue, fails, failure);
                case Appender appender -> as(Appender.class, appender, fails, failure);
                case null, default -> result;
              };
            }));
  }
}
