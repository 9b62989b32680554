/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.Row;
import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The service on Kafka as users run it: the jar, a real broker and a real PostgreSQL. All tests
 * share them; each test continues where the one before ended.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaServiceIT {

  private static final String TOPIC = "forebay.main.in";
  private static final String RESULTS = "forebay.main.out";

  @TempDir static Path directory;
  private static final List<ForebayProcess> started = new ArrayList<>();
  private static final AtomicInteger next = new AtomicInteger();
  private static TestPostgres database;
  private static Path catalogue;
  private static SecuredBroker secured;
  private static BrokerProcess broker;
  private static KafkaInstance a;
  private static ForebayProcess startingB;
  private static KafkaInstance b;
  private static String token;

  @BeforeAll
  static void prepare() throws Exception {
    ((Logger) LoggerFactory.getLogger("org.apache.kafka")).setLevel(Level.WARN);
    database = TestPostgres.shared();
    database.createTable("create table event (id int not null, note text)");
    catalogue =
        Files.writeString(
            directory.resolve("catalogue.yaml"),
            """
            statements:
              - name: events.add
                sql: insert into event (id) values (:id)
                params: [{name: id, type: long}]
              - name: events.note
                sql: insert into event (id, note) values (-1, :note)
                params: [{name: note, type: text}]
            """);
    secured = new SecuredBroker(directory.resolve("broker"));
  }

  @AfterAll
  static void stop() throws Exception {
    started.forEach(it -> it.process().close());
    if (broker != null) {
      broker.kill();
    }
    database.close();
  }

  private static ForebayProcess launch(String name) throws IOException {
    started.add(
        KafkaInstance.launch(directory.resolve(name), secured.variables(), database, catalogue));
    return started.getLast();
  }

  private static void done(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.body()).contains("\"state\":\"done\"");
  }

  private static List<Integer> ids() throws Exception {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select id from event order by id")) {
      List<Integer> ids = new ArrayList<>();
      while (rows.next()) {
        ids.add(rows.getInt(1));
      }
      return ids;
    }
  }

  private static void hasEachEventOnce() throws Exception {
    assertThat(ids()).containsExactlyElementsOf(IntStream.range(0, next.get()).boxed().toList());
  }

  @Tag("proof")
  @Test
  @Order(1)
  void anInstanceThatIsNotAdmittedReportsIt() throws Exception {
    a = new KafkaInstance(launch("a"));
    token = a.token();
    a.awaitState(token, "waiting");
    assertThat(a.gateway(token).path("reason").asString())
        .contains("Kafka brokers are not responding", "brokers=");
    assertThat(a.readiness()).isEqualTo(503);
    HttpResponse<String> refused = a.add(token, 0);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();

    broker = secured.start();
    a.awaitState(token, "failed");
    await()
        .untilAsserted(() ->
            assertThat(a.gateway(token).path("reason").asString())
                .contains("the Kafka brokers at", "refuse", "invalid credentials", "SCRAM"));
    assertThat(a.output()).contains("invalid credentials");
    assertThat(a.readiness()).isEqualTo(503);
  }

  @Test
  @Order(2)
  void anInstanceIsReadyOnceItIsAdmitted() throws Exception {
    if (broker == null) {
      broker = secured.start();
    }
    secured.admit(broker);
    if (a == null) {
      a = new KafkaInstance(launch("a"));
      token = a.token();
    }
    startingB = launch("b"); // meanwhile
    await().untilAsserted(() -> assertThat(a.readiness()).isEqualTo(200));
    done(a.add(token, next.getAndIncrement())); // ready means accepting
    hasEachEventOnce();
  }

  @Test
  @Order(3)
  void aMessageThatIsTooLargeIsRefusedAtTheDoor() throws Exception {
    HttpResponse<String> refused =
        a.post(
            token,
            "/api/v1/statements/events.note",
            "{\"note\": \"" + "x".repeat(1_100_000) + "\"}",
            null);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(413);
  }

  @Test
  @Order(4)
  void aResultReturnsToTheInstanceThatSentTheStatement() throws Exception {
    b = new KafkaInstance(startingB);
    await()
        .untilAsserted(() -> {
          assertThat(a.partitions(token)).hasSize(2);
          assertThat(b.partitions(token))
              .hasSize(2)
              .doesNotContainAnyElementsOf(a.partitions(token));
        });
    for (int i = 0; i < 40; i++) {
      done((i % 2 == 0 ? a : b).add(token, next.getAndIncrement()));
    }
    hasEachEventOnce();
  }

  @Test
  @Order(5)
  void aPauseAppliesToAllInstancesAndAnyInstanceReturnsResults() throws Exception {
    String reason = "{\"reason\": \"maintenance\"}";
    a.post(token, "/api/v1/services/main/pause", reason, null);
    a.awaitState(token, "paused");
    b.awaitState(token, "paused");
    List<String> locations = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int id = next.getAndIncrement();
      HttpResponse<String> accepted =
          a.post(token, "/api/v1/statements/events.add", "{\"id\": " + id + "}", "event-" + id);
      assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
      locations.add(accepted.headers().firstValue("Location").orElseThrow());
    }
    for (String location : locations) {
      assertThat(b.json(token, location).path("state").asString()).isEqualTo("pending");
    }
    b.post(token, "/api/v1/services/main/resume", reason, null);
    for (String location : locations) {
      for (KafkaInstance instance : List.of(a, b)) {
        JsonNode result = instance.json(token, location + "&wait=20s");
        assertThat(result.path("state").asString()).as(result.toString()).isEqualTo("done");
      }
    }
    hasEachEventOnce();
  }

  @Test
  @Order(6)
  void aLimitOfACallerHoldsAtEachInstanceUntilAnyOfThemLiftsIt() throws Exception {
    String limit =
        "{\"caller\": \"shop\", \"perSecond\": 10, \"reason\": \"import\", \"until\": \"1h\"}";
    HttpResponse<String> limited = a.post(token, "/api/v1/callers/limit", limit, null);
    assertThat(limited.statusCode()).as(limited.body()).isEqualTo(200);
    for (KafkaInstance instance : List.of(a, b)) {
      await()
          .untilAsserted(() -> {
            JsonNode rate = instance.json(token, "/admin/api/v1/callers").at("/callers/0/limits/0");
            assertThat(rate.path("name").asString()).isEqualTo("rate");
            assertThat(rate.path("most").asInt()).isEqualTo(10);
          });
    }
    b.post(token, "/api/v1/callers/lift", "{\"caller\": \"shop\"}", null);
    await().until(() -> a.json(token, "/admin/api/v1/callers").path("callers").isEmpty());
  }

  @Test
  @Order(7)
  void aForeignProgramNamesStatementsAndItsTextIsRefused() throws Exception {
    ForeignProgram program = new ForeignProgram(broker.bootstrap(), secured.program());
    int id = next.getAndIncrement();
    UUID text = program.send(TOPIC, calls -> calls.executeUpdate("delete from event"));
    UUID query = program.send(TOPIC, calls -> calls.executeQuery("select 1", Row.class));
    UUID together =
        program.send(
            TOPIC,
            calls ->
                calls.executeTogether(
                    List.of(Call.of("events.add@1", -2), Call.of("delete from event"))));
    UUID gone = program.send(TOPIC, calls -> calls.executeUpdate("events.add@2", -3));
    UUID named = program.send(TOPIC, calls -> calls.executeUpdate("events.add@1", id));
    List<UUID> all = List.of(text, query, together, gone, named);
    await().until(() -> program.answers(RESULTS, 4).keySet().containsAll(all));
    hasEachEventOnce();

    Map<UUID, List<String>> answers = program.answers(RESULTS, 4);
    assertThat(answers.get(named)).containsExactly("1");
    for (UUID refused : List.of(text, query, together)) {
      assertThat(answers.get(refused))
          .singleElement()
          .asString()
          .startsWith("UNSUPPORTED 42501 gateway main accepts no SQL text")
          .contains("forebay.gateways.main.accept-text is false");
    }
    assertThat(answers.get(gone))
        .containsExactly(
            "UNSUPPORTED 26000 the catalogue of this instance has events.add in version 1 only;"
                + " events.add@2 was not performed");
    String failed = b.get(token, "/api/v1/failed?limit=100").body();
    assertThat(all.stream().filter(it -> failed.contains(it.toString())))
        .containsExactlyInAnyOrder(text, query, together, gone);
    a.awaitState(token, "running");
  }

  @Test
  @Order(8)
  void aProgramThatMayWriteStatementsCanNeitherReadNorAnswerThemNorActAsACaller() throws Exception {
    ForeignProgram program = new ForeignProgram(broker.bootstrap(), secured.program());
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            secured.program(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      for (String topic : List.of(TOPIC, RESULTS)) {
        consumer.assign(List.of(new TopicPartition(topic, 0)));
        assertThatExceptionOfType(TopicAuthorizationException.class)
            .as(topic)
            .isThrownBy(() -> {
              consumer.seek(new TopicPartition(topic, 0), 0);
              for (int seconds = 0; seconds < 60; seconds++) {
                consumer.poll(Duration.ofSeconds(1));
              }
            });
      }
    }
    assertThatThrownBy(() -> program.send(RESULTS, calls -> calls.executeUpdate("events.add@1", 1)))
        .rootCause()
        .isInstanceOf(TopicAuthorizationException.class);

    int id = next.getAndIncrement();
    String caller = a.json(token, "/api/v1/tokens").at("/tokens/0/name").asString();
    UUID failed =
        program.write(
            TOPIC,
            writer ->
                writer.keyed(caller, "event-" + id).calls().executeUpdate("events.add@2", id));
    await().until(() -> program.answers(RESULTS, 4).containsKey(failed));
    done(a.add(token, id)); // the key is still free for the caller
    hasEachEventOnce();
    assertThat(b.get(token, "/api/v1/failed?limit=100").body()).contains("kafka:" + caller);
  }

  @Test
  @Order(9)
  void theQueueCommandReadsTopicsAndJoinsNoGroup() throws Exception {
    JsonNode listed = queueCommand("ls --queue main.in").getFirst();
    List<JsonNode> partitions =
        StreamSupport.stream(listed.path("partitions").spliterator(), false).toList();
    assertThat(partitions).hasSize(4);
    assertThat(partitions)
        .allSatisfy(it -> assertThat(it.path("consumers").path("main").isNumber()).isTrue());
    List<JsonNode> found = queueCommand("grep --key event-3");
    assertThat(found)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.path("statement").asString()).startsWith("events.add@1");
          assertThat(it.has("arguments")).isFalse();
        });
    String id = found.getFirst().path("id").asString();
    assertThat(queueCommand("grep --id " + id))
        .extracting(it -> it.path("kind").asString())
        .containsExactly("statement", "result");
    String messages = "/admin/api/v1/queues/main.in/messages";
    int partition = found.getFirst().path("partition").asInt();
    JsonNode page = a.json(token, messages + "?partition=" + partition + "&id=" + id);
    assertThat(page.path("messages").path(0).path("key").asString()).isEqualTo("event-3");
    long position = found.getFirst().path("position").asLong();
    JsonNode first =
        a.json(token, "%s?partition=%d&before=%d".formatted(messages, partition, position + 1));
    assertThat(first.path("messages").path(0)).isEqualTo(page.path("messages").path(0));
    String range = "--partition %d --from %d --to %d".formatted(partition, position, position);
    assertThat(queueCommand("dump --queue main.in " + range)).isEqualTo(found);
    Path fresh = directory.resolve("fresh");
    String replayed =
        queueCommand("replay --queue main.in --key event-3 --into " + fresh).toString();
    assertThat(replayed).isEqualTo("[{\"copied\":1}]");
    assertThat(fresh.resolve("queues/main.in")).isDirectory();
  }

  private static List<JsonNode> queueCommand(String arguments) throws IOException {
    String all = "queue " + arguments + " --format ndjson --spring.profiles.active=kafka";
    try (ChildProcess command = ForebayProcess.command(secured.variables(), all.split(" "))) {
      assertThat(command.awaitEnd()).as(command.output()).isZero();
      return command.lines().stream().map(JsonMapper.shared()::readTree).toList();
    }
  }

  @Test
  @Order(10)
  void figuresOfTheBrokersAreReported() throws Exception {
    await()
        .untilAsserted(() -> {
          JsonNode gateway = a.gateway(token);
          assertThat(gateway.path("behind").asLong(-1)).isZero();
          for (JsonNode partition : gateway.path("partitions")) {
            assertThat(partition.path("end").asLong(-1)).isPositive();
          }
          assertThat(a.json(token, "/admin/api/v1/storage").path("volume").isNull()).isTrue();
        });
    assertThat(a.output()).contains("main.in: it has one replica");
  }

  @Test
  @Order(11)
  void statementsOfAKilledInstanceAreTakenOverAndTakeEffectOnce() throws Exception {
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      int enough = next.get() + 200;
      List<Future<Long>> sent = new ArrayList<>();
      for (int client = 0; client < 8; client++) {
        sent.add(clients.submit(() -> sendUntil(enough + 200)));
      }
      await().until(() -> next.get() >= enough);
      b.kill();
      long longest = 0;
      for (Future<Long> one : sent) {
        longest = Math.max(longest, one.get(120, TimeUnit.SECONDS));
      }
      System.out.printf(
          "an instance was killed: the longest wait for a result was %,d ms%n", longest);
    }
    hasEachEventOnce();
    assertThat(a.partitions(token)).hasSize(4);
  }

  /**
   * Sends to A and waits for results; requests without a result are sent again with the same key.
   */
  private static long sendUntil(int end) throws Exception {
    long longest = 0;
    int id;
    while ((id = next.getAndIncrement()) < end) {
      long begin = System.nanoTime();
      HttpResponse<String> response = a.add(token, id);
      while (response.statusCode() != 200) {
        assertThat(response.statusCode()).as(response.body()).isIn(202, 503);
        response = a.add(token, id);
      }
      done(response);
      longest = Math.max(longest, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
    }
    next.decrementAndGet(); // this one was not sent
    return longest;
  }

  @Test
  @Order(12)
  void anUnavailableBrokerIsReportedAndAwaited() throws Exception {
    broker.kill();
    await().untilAsserted(() -> assertThat(a.readiness()).isEqualTo(503));
    a.awaitState(token, "waiting");
    int id = next.getAndIncrement();
    HttpResponse<String> refused = a.add(token, id);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();

    broker.restart();
    await().untilAsserted(() -> assertThat(a.readiness()).isEqualTo(200));
    done(a.add(token, id));
    hasEachEventOnce();
  }

  @Test
  @Order(13)
  @Tag("proof")
  void brokersThatNoLongerAdmitTheInstanceAreReportedAndAwaited() throws Exception {
    secured.setPassword(broker, "another password");
    broker.kill(); // existing connections would stay authenticated
    broker.restart();
    await().untilAsserted(() -> assertThat(a.readiness()).isEqualTo(503));
    await()
        .untilAsserted(
            () -> assertThat(a.gateway(token).path("reason").asString()).contains("Kafka brokers"));
    Thread.sleep(Duration.ofSeconds(10)); // long enough for every client to notice

    secured.setPassword(broker, secured.password());
    await().untilAsserted(() -> assertThat(a.readiness()).isEqualTo(200));
    done(a.add(token, next.getAndIncrement()));
    hasEachEventOnce();
    a.awaitState(token, "running");
  }

  @Test
  @Order(14)
  void aTopicThatWasCreatedAgainIsNotRead() throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", broker.bootstrap());
    String before;
    String after;
    try (Admin admin = Admin.create(properties)) {
      before = id(admin);
      admin.deleteTopics(List.of(TOPIC)).all().get(120, TimeUnit.SECONDS);
      await()
          .ignoreExceptions()
          .untilAsserted(
              () -> admin.createTopics(List.of(new NewTopic(TOPIC, 4, (short) 1))).all().get());
      after = id(admin);
    }
    a.awaitState(token, "failed");
    await()
        .untilAsserted(() ->
            assertThat(a.gateway(token).path("reason").asString())
                .contains(before, after, "nothing is performed from the new topic"));
    HttpResponse<String> refused = a.add(token, next.get());
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
    assertThat(a.readiness()).isEqualTo(503);
    hasEachEventOnce();
  }

  private static String id(Admin admin) {
    return await()
        .ignoreExceptions()
        .until(
            () -> {
              TopicDescription topic =
                  admin.describeTopics(List.of(TOPIC)).allTopicNames().get().get(TOPIC);
              return topic.topicId().toString();
            },
            it -> true);
  }

  @Test
  @Order(15)
  void aPasswordIsNeverShown() throws Exception {
    for (String path : List.of("/api/v1/status", "/admin/api/v1/snapshot")) {
      assertThat(a.get(token, path).body()).as(path).doesNotContain(secured.password());
    }
    assertThat(a.output()).doesNotContain(secured.password());
    assertThat(startingB.output()).doesNotContain(secured.password());
  }
}
