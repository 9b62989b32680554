/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsContext;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The door with Kafka topics as queues. */
class KafkaDoorTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private static final String CATALOGUE =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (id, item) values (:id, :item)
          params:
            - {name: id, type: long}
            - {name: item, type: text}
      """;

  @TempDir static Path brokerDirectory;
  private static BrokerProcess broker;

  @TempDir Path directory;
  private final TestPostgres postgres = TestPostgres.shared();
  private final String prefix = UUID.randomUUID() + ".";

  @BeforeAll
  static void startBroker() {
    broker = TestBroker.start(brokerDirectory, Map.of());
  }

  @AfterAll
  static void stopBroker() {
    broker.kill();
  }

  @BeforeEach
  void prepare() throws Exception {
    postgres.createTable("create table orders (id bigint primary key, item varchar(200) not null)");
    RunningDoor.catalogue(directory, CATALOGUE);
  }

  @AfterEach
  void close() {
    postgres.close();
  }

  private RunningDoor kafka() {
    List<String> properties = new ArrayList<>(PostgresDoorTest.properties(postgres));
    properties.add("forebay.backend=kafka");
    properties.add("forebay.kafka.properties.bootstrap.servers=" + broker.bootstrap());
    properties.add("forebay.kafka.prefix=" + prefix);
    properties.add("forebay.kafka.properties[metric.reporters]=" + Consumers.class.getName());
    return RunningDoor.start(directory, properties);
  }

  private RunningDoor accepting() {
    RunningDoor door = kafka();
    await().atMost(SOON).until(() -> door.service().view().accepts());
    return door;
  }

  private RunningDoor chronicle() {
    List<String> properties = new ArrayList<>(PostgresDoorTest.properties(postgres));
    properties.add("forebay.backend=chronicle");
    return RunningDoor.start(directory, properties);
  }

  private static Answer insert(RunningDoor door, long id, String query, String... headers) {
    return door.post(
        "web",
        "/api/v1/statements/orders.insert" + query,
        "{\"id\":%d,\"item\":\"tea\"}".formatted(id),
        headers);
  }

  @Test
  void aStatementHiddenByAnOpenTransactionIsPendingAndThenDone() {
    try (RunningDoor door = accepting();
        KafkaProducer<byte[], byte[]> foreign =
            new KafkaProducer<>(
                Map.of(
                    "bootstrap.servers",
                    broker.bootstrap(),
                    "transactional.id",
                    prefix + "foreign",
                    "transaction.timeout.ms",
                    "600000"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
      foreign.initTransactions();
      foreign.beginTransaction();
      foreign.send(new ProducerRecord<>(prefix + "main.in", 0, null, new byte[] {1}));
      foreign.flush();

      Answer accepted = insert(door, 1, "");
      assertThat(accepted.status()).as(accepted.text()).isEqualTo(202);
      String location = accepted.header("Location");
      for (String query : List.of("", "&wait=1s")) {
        Answer pending = door.get("web", location + query);
        assertThat(pending.status()).as(pending.text()).isEqualTo(200);
        assertThat(pending.body().path("state").asString()).isEqualTo("pending");
      }
      Answer nobodys = door.get("web", location.replaceAll("position=\\d+", "position=1000"));
      assertThat(nobodys.problem()).isEqualTo("unknown-result");

      foreign.abortTransaction();
      Answer done = door.get("web", location + "&wait=30s");
      assertThat(done.body().path("state").asString()).as(done.text()).isEqualTo("done");
      Answer others = door.get("somebody", location);
      assertThat(others.problem()).isEqualTo("unknown-result");
    }
  }

  /** Also if the level of the gateway is process, because its topics have one replica. */
  @Test
  void aLineIsAcknowledgedWhenTheBrokerHasIt() {
    try (RunningDoor door = accepting()) {
      assertThat(sendLine(door, 1)).endsWith("&position=0");
      assertThat(sendLine(door, 2)).endsWith("&position=1");
    }
  }

  /** A line's result is in no table, only in the out-queue. */
  @Tag("proof")
  @Test
  void theAddressOfALineIsPendingUntilItsResultCanBeRead() {
    try (RunningDoor door = accepting()) {
      for (int line = 1; line <= 100; line++) {
        String location = sendLine(door, line);
        Answer done = door.get("web", location + "&wait=20s");
        assertThat(done.body().path("state").asString())
            .as("line %d: %s", line, done.text())
            .isEqualTo("done");
      }
    }
  }

  /** For as long as brokers take to end a transaction, and here for longer. */
  @Test
  void aResultThatIsCommittedAndCannotBeReadYetIsPending() {
    try (RunningDoor door = accepting();
        KafkaProducer<byte[], byte[]> foreign =
            new KafkaProducer<>(
                Map.of(
                    "bootstrap.servers",
                    broker.bootstrap(),
                    "transactional.id",
                    prefix + "foreign",
                    "transaction.timeout.ms",
                    "600000"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
      String first = sendLine(door, 1);
      assertThat(state(door, first + "&wait=20s")).isEqualTo("done");
      foreign.initTransactions();
      foreign.beginTransaction();
      foreign.send(new ProducerRecord<>(prefix + "main.out", 0, null, new byte[] {1}));
      foreign.flush();
      String location = sendLine(door, 2);
      await().atMost(SOON).until(() -> door.service().position(0) >= 2);
      for (String query : List.of("", "&wait=1s")) {
        assertThat(state(door, location + query)).isEqualTo("pending");
      }
      assertThat(state(door, first)).isEqualTo("done");

      foreign.abortTransaction();
      assertThat(state(door, location + "&wait=30s")).isEqualTo("done");
    }
  }

  /** Sends a line of a stream; returns the address of its result. */
  private static String sendLine(RunningDoor door, int line) {
    Answer answer =
        door.send(
            door.request("web", "/api/v1/statements/orders.insert?stream=s&from=" + line)
                .header("Content-Type", "application/x-ndjson")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"id\":%d,\"item\":\"tea\"}\n".formatted(line))));
    assertThat(answer.text()).contains("\"complete\":true");
    JsonNode range =
        RunningDoor.JSON
            .readTree(answer.text().lines().toList().getFirst())
            .path("positions")
            .get(0);
    UUID id = Message.keyedId("web", new StreamLine("s", line, StreamLine.ANY).key());
    return "/api/v1/results/%s?partition=%d&position=%d"
        .formatted(id, range.get("partition").asLong(), range.get("first").asLong());
  }

  /** Another program claims the name and the key of a caller of the door. */
  @Test
  void anotherProgramOnTheTopicCannotBecomeACallerOfTheDoor() throws Exception {
    try (RunningDoor door = accepting();
        KafkaProducer<byte[], byte[]> foreign = producer()) {
      String next = door.get("web", "/api/v1/results").body().get("next").asString();
      long position = send(foreign, claimed("web", "one", 100));
      await().atMost(SOON).until(() -> door.service().position(0) > position);

      Answer stolen =
          door.get(
              "web",
              "/api/v1/results/%s?partition=0&position=%d&key=one"
                  .formatted(Message.keyedId("web", "one"), position));
      assertThat(stolen.problem()).as(stolen.text()).isEqualTo("unknown-result");
      Answer own = insert(door, 1, "?wait=20s", "Idempotency-Key", "one");
      assertThat(own.status()).as(own.text()).isEqualTo(200);
      Answer page = door.get("web", "/api/v1/results?wait=1s&from=" + next);
      assertThat(page.body().get("results")).as(page.text()).hasSize(1);
      String behind = page.body().get("next").asString();
      byte[] answer = copy("main.out", position + 1).value(); // after that of the other program
      foreign.send(new ProducerRecord<>(prefix + "main.out", 0, null, answer)).get();
      await()
          .atMost(SOON)
          .untilAsserted(() -> {
            Answer more = door.get("web", "/api/v1/results?from=" + behind);
            assertThat(more.body().get("next").asString()).isNotEqualTo(behind);
            assertThat(more.body().get("results")).as(more.text()).isEmpty();
          });
      assertThat(clients()).containsExactly("kafka:web: one", "web: one");

      Answer impostor =
          door.post("kafka:web", "/api/v1/statements/orders.insert", "{\"id\":2,\"item\":\"tea\"}");
      assertThat(impostor.status()).isEqualTo(403);
      assertThat(impostor.problem()).isEqualTo("not-permitted");
    }
  }

  @Test
  void aStatementOfTheDoorKeepsItsCallerOnAnotherInstanceAndIfOthersCopyIt() throws Exception {
    try (KafkaProducer<byte[], byte[]> foreign = producer()) {
      String location;
      try (RunningDoor door = instance("first", CATALOGUE)) {
        await().atMost(SOON).until(() -> door.service().view().accepts());
        door.service().stop();
        Answer accepted = insert(door, 1, "", "Idempotency-Key", "one");
        assertThat(accepted.status()).as(accepted.text()).isEqualTo(202);
        location = accepted.header("Location");
      }
      try (RunningDoor door = instance("second", CATALOGUE)) {
        Answer done = door.get("web", location + "&wait=30s");
        assertThat(done.body().path("state").asString()).as(done.text()).isEqualTo("done");
        assertThat(clients()).containsExactly("web: one");
        foreign.send(copy("main.in", 0)).get();
        long position = send(foreign, claimed("web", "one", 100));
        await().atMost(SOON).until(() -> door.service().position(0) > position);
        assertThat(clients()).containsExactly("kafka:web: one", "web: one");
      }
    }
    try (Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet orders =
            statement.executeQuery("select string_agg(id::text, ' ' order by id) from orders")) {
      assertThat(orders.next()).isTrue();
      assertThat(orders.getString(1)).isEqualTo("1 100");
    }
  }

  /** A copy of the record at a position, with its headers, for the same partition. */
  private ProducerRecord<byte[], byte[]> copy(String queue, long position) {
    TopicPartition partition = new TopicPartition(prefix + queue, 0);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrap()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seek(partition, position);
      ConsumerRecord<byte[], byte[]> record = consumer.poll(SOON).records(partition).getFirst();
      assertThat(record.headers()).hasSize(1);
      return new ProducerRecord<>(
          partition.topic(), 0, (byte[]) null, record.value(), record.headers());
    }
  }

  /** The keys of the ledger with their clients, in alphabetic order. */
  private List<String> clients() throws Exception {
    List<String> clients = new ArrayList<>();
    try (Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select client || ': ' || idem_key from forebay.request order by 1")) {
      while (row.next()) {
        clients.add(row.getString(1));
      }
    }
    return clients;
  }

  private static KafkaProducer<byte[], byte[]> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", broker.bootstrap()),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /** Returns the position of the message. */
  private long send(KafkaProducer<byte[], byte[]> producer, byte[] message) throws Exception {
    return producer.send(new ProducerRecord<>(prefix + "main.in", 0, null, message)).get().offset();
  }

  /** The message of a program that claims a sender. */
  private static byte[] claimed(String client, String key, long id) {
    byte[][] message = new byte[1][];
    try (MemoryBackend memory = MemoryBackend.open();
        MessageQueue queue = memory.open("message", 1);
        Writer<JDBCStatement> writer = Protocol.of(JDBCStatement.class).writer(queue);
        Tailer tailer = queue.tailer(0)) {
      writer.keyed(client, key).calls().executeUpdate("orders.insert@1", id, "coffee");
      tailer.poll(
          1,
          (_, bytes) -> {
            message[0] = new byte[bytes.remaining()];
            bytes.get(message[0]);
          });
    }
    return message[0];
  }

  @Tag("proof")
  @Test
  void aThousandLookUpsOfAbsentResultsHaveFewConsumersAtTheSameTime() throws Exception {
    try (RunningDoor door = accepting();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      assertThat(insert(door, 1, "?wait=30s").status()).isEqualTo(200);
      AtomicInteger last = new AtomicInteger(-1); // those of the gateway itself may still open
      await()
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> last.getAndSet(Consumers.open.get()) == Consumers.open.get());
      int before = last.get();
      int created = Consumers.created.get();
      Consumers.most.set(before);
      Map<Integer, Integer> statuses = new ConcurrentHashMap<>();
      List<Future<?>> lookUps = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        String path = "/api/v1/results/" + UUID.randomUUID() + "?partition=0&position=0";
        lookUps.add(
            threads.submit(
                () -> statuses.merge(door.get("looker", path).status(), 1, Integer::sum)));
      }
      for (Future<?> each : lookUps) {
        each.get();
      }
      int most = Consumers.most.get() - before;
      System.out.printf(
          "1,000 look-ups: %,d consumers, at most %,d at the same time, answers %s%n",
          Consumers.created.get() - created, most, statuses);
      assertThat(most).isPositive().isLessThanOrEqualTo(16);
      assertThat(statuses.keySet()).isSubsetOf(404, 429);
    }
  }

  /** Kafka makes one for each client. */
  public static final class Consumers implements MetricsReporter {

    private static final AtomicInteger open = new AtomicInteger();
    private static final AtomicInteger most = new AtomicInteger();
    private static final AtomicInteger created = new AtomicInteger();
    private boolean isConsumer;

    @Override
    public void contextChange(MetricsContext context) {
      isConsumer = "kafka.consumer".equals(context.contextLabels().get("_namespace"));
      if (isConsumer) {
        created.incrementAndGet();
        most.accumulateAndGet(open.incrementAndGet(), Math::max);
      }
    }

    @Override
    public void close() {
      if (isConsumer) {
        open.decrementAndGet();
      }
    }

    @Override
    public void configure(Map<String, ?> configuration) {}

    @Override
    public void init(List<KafkaMetric> metrics) {}

    @Override
    public void metricChange(KafkaMetric metric) {}

    @Override
    public void metricRemoval(KafkaMetric metric) {}
  }

  @Test
  void anotherInstanceReturnsTheResultsAfterAPosition() {
    List<Long> lines = new ArrayList<>();
    String next;
    try (RunningDoor door = accepting()) {
      next = door.get("reader", "/api/v1/results").body().get("next").asString();
      String stream =
          LongStream.rangeClosed(1, 1_000)
              .mapToObj("{\"id\":%d,\"item\":\"tea\"}\n"::formatted)
              .collect(Collectors.joining());
      Answer answer =
          door.send(
              door.request("reader", "/api/v1/statements/orders.insert?stream=r&level=performed")
                  .header("Content-Type", "application/x-ndjson")
                  .POST(HttpRequest.BodyPublishers.ofString(stream)));
      assertThat(answer.text()).contains("\"complete\":true");
      next = readPage(door, next, lines);
      assertThat(lines).hasSize(300);
    }
    try (RunningDoor door = accepting()) {
      while (lines.size() < 1_000) {
        next = readPage(door, next, lines);
      }
      next = readPage(door, next, lines);
    }
    assertThat(lines).isEqualTo(LongStream.rangeClosed(1, 1_000).boxed().toList());
  }

  private static String readPage(RunningDoor door, String from, List<Long> lines) {
    Answer page = door.get("reader", "/api/v1/results?limit=300&wait=1s&from=" + from);
    assertThat(page.status()).as(page.text()).isEqualTo(200);
    page.body().get("results").forEach(result -> lines.add(result.get("line").asLong()));
    return page.body().get("next").asString();
  }

  @Test
  void aStreamIsAcknowledgedWithPositionsAndResumedWithoutDoubles() throws Exception {
    try (RunningDoor door = accepting()) {
      for (long from : List.of(1L, 501L)) {
        String lines =
            LongStream.range(from, 1_001)
                .mapToObj("{\"id\":%d,\"item\":\"tea\"}\n"::formatted)
                .collect(Collectors.joining());
        Answer answer =
            door.send(
                door.request(
                        "web",
                        "/api/v1/statements/orders.insert?stream=s&level=performed&from=" + from)
                    .header("Content-Type", "application/x-ndjson")
                    .POST(HttpRequest.BodyPublishers.ofString(lines)));
        assertThat(answer.text().lines().toList().getLast())
            .isEqualTo(
                "{\"complete\":true,\"last\":1000,\"accepted\":%d,\"refused\":0}"
                    .formatted(1_001 - from));
        long positions = 0;
        for (String line : answer.text().lines().toList()) {
          for (JsonNode range : RunningDoor.JSON.readTree(line).path("positions")) {
            positions += range.get("last").asLong() - range.get("first").asLong() + 1;
          }
        }
        assertThat(positions).isEqualTo(1_001 - from);
      }
    }
    try (Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet count =
            statement.executeQuery(
                "select (select count(*) from orders), done, failed from forebay.stream")) {
      assertThat(count.next()).isTrue();
      assertThat(List.of(count.getLong(1), count.getLong(2), count.getLong(3)))
          .containsExactly(1_000L, 1_000L, 0L);
    }
  }

  @Test
  void aKeyHasTheSameAnswerAfterSwitchingTheBackendAndBack() throws Exception {
    try (RunningDoor door = chronicle()) {
      assertThat(insert(door, 1, "?wait=20s", "Idempotency-Key", "one").status()).isEqualTo(200);
      assertThat(door.service().drain(SOON)).isTrue();
    }
    try (RunningDoor door = accepting()) {
      Answer again = insert(door, 1, "?wait=20s", "Idempotency-Key", "one");
      assertThat(again.status()).as(again.text()).isEqualTo(200);
      assertThat(insert(door, 2, "?wait=20s", "Idempotency-Key", "two").status()).isEqualTo(200);
      Answer other = insert(door, 3, "?wait=20s", "Idempotency-Key", "one");
      assertThat(other.status()).as(other.text()).isEqualTo(422);
      assertThat(door.service().drain(SOON)).isTrue();
    }
    try (RunningDoor door = chronicle()) {
      for (long id : List.of(1L, 2L)) {
        Answer again = insert(door, id, "?wait=20s", "Idempotency-Key", id == 1 ? "one" : "two");
        assertThat(again.status()).as(again.text()).isEqualTo(200);
      }
    }
    try (Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery("select count(*), sum(id) from orders")) {
      assertThat(count.next()).isTrue();
      assertThat(count.getLong(1)).isEqualTo(2);
      assertThat(count.getLong(2)).isEqualTo(3);
    }
  }

  @Test
  void anInstanceThatPerformsNothingAnswersFromTheProgressAndNotFromCommittedOffsets() {
    try (RunningDoor door = accepting();
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      String performed = insert(door, 1, "?wait=20s").header("Location");
      door.service().stop();
      String waiting = insert(door, 2, "").header("Location");
      commit(admin, 1_000, door);
      assertThat(state(door, waiting)).isEqualTo("pending");
      commit(admin, 0, door);
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(state(door, performed)).isEqualTo("done"));
      assertThat(state(door, waiting)).isEqualTo("pending");
    }
  }

  /** Commits an offset for the group of the gateway, as any program can while it has no member. */
  private void commit(Admin admin, long offset, RunningDoor door) {
    TopicPartition partition = new TopicPartition(prefix + "main.in", 0);
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(() ->
            admin
                .alterConsumerGroupOffsets(
                    prefix + "main.in-main", Map.of(partition, new OffsetAndMetadata(offset)))
                .all()
                .get());
    await().atMost(SOON).until(() -> door.service().in().stats(0).passed().containsValue(offset));
  }

  /** As after an unclean leader election: the new leader lacks records that were acknowledged. */
  @Test
  void aLogThatLostItsEndFailsThePartitionAndAcceptsNothing() throws Exception {
    try (RunningDoor door = accepting()) {
      for (int id = 0; id < 10; id++) {
        assertThat(insert(door, id, "?wait=20s").status()).isEqualTo(200);
      }
      broker.kill();
      truncate(6);
      broker.restart();
      awaitFailed(door);
      assertThat(door.service().state().reason()).contains("returned to an older state");
      assertAcceptsNothing(door);
    }
    for (int start = 0; start < 2; start++) {
      try (RunningDoor door = kafka()) {
        awaitFailed(door);
        assertThat(door.service().state().reason())
            .contains("returned to an older state", "performed 10");
        assertAcceptsNothing(door);
      }
    }
  }

  private static void awaitFailed(RunningDoor door) {
    await().atMost(SOON).until(() -> door.service().state().phase() == ServiceState.Phase.FAILED);
  }

  /** For a moment the reason may still be that the broker was away. */
  private static void assertAcceptsNothing(RunningDoor door) {
    await()
        .atMost(SOON)
        .until(
            () -> {
              Answer answer = insert(door, 10, "");
              assertThat(answer.status()).as(answer.text()).isEqualTo(503);
              return answer.body().path("reason").asString();
            },
            "failed"::equals);
  }

  /** Cuts the in-topic's log, of which each batch has one record, before a position. */
  private void truncate(long position) throws IOException {
    Path log = brokerDirectory.resolve("data/" + prefix + "main.in-0/00000000000000000000.log");
    try (FileChannel file =
        FileChannel.open(log, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer header = ByteBuffer.allocate(Long.BYTES + Integer.BYTES); // base offset, length
      long at = 0;
      while (file.read(header.clear(), at) == header.capacity() && header.getLong(0) < position) {
        at += header.capacity() + header.getInt(Long.BYTES);
      }
      assertThat(header.getLong(0)).isEqualTo(position);
      file.truncate(at);
    }
  }

  private static String state(RunningDoor door, String location) {
    Answer answer = door.get("web", location);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.body().path("state").asString();
  }

  /** An instance with a data directory and a catalogue of its own. */
  private RunningDoor instance(String name, String catalogue) throws IOException {
    Path data = directory.resolve(name);
    RunningDoor.catalogue(data, catalogue);
    List<String> properties = new ArrayList<>(PostgresDoorTest.properties(postgres));
    properties.add("forebay.backend=kafka");
    properties.add("forebay.kafka.properties.bootstrap.servers=" + broker.bootstrap());
    properties.add("forebay.kafka.prefix=" + prefix);
    return RunningDoor.start(data, properties);
  }

  @Test
  void aStatementThatAnotherInstanceHasOtherwiseFailsThere() throws Exception {
    String other = CATALOGUE.replace(":id, :item)", ":id, upper(:item))");
    try (RunningDoor first = instance("first", CATALOGUE);
        RunningDoor second = instance("second", other)) {
      await().atMost(SOON).until(() -> first.service().view().accepts());
      await().atMost(SOON).until(() -> second.service().view().accepts());
      List<String> ends = new ArrayList<>();
      for (RunningDoor each : List.of(first, second)) {
        JsonNode end = insert(each, 1, "?wait=30s").body();
        ends.add(end.path("error").path("sqlState").asString("done"));
      }
      assertThat(ends).containsExactlyInAnyOrder("done", "26000");

      String location = insert(first, 2, "").header("Location");
      assertThat(second.get("web", location + "&wait=30s").body().get("state").asString())
          .as("also from an instance without a partition")
          .isIn("done", "failed");
    }
  }
}
