/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.call.history.Hop;
import io.forebay.call.value.Aliases;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.TestDatabase;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.kafka.KafkaBackend;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.operations.Durability;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.FailureId;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Tailer;
import io.forebay.service.ServiceOptions;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.service.progress.HostedProgress;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway performs the answers of a service of one's own. */
class GatewayStageTest {

  private static final int PARTITIONS = 2;
  private static final long DELETES = 1_000_000_000_000L;
  private static final long FAILURES = 2 * DELETES;
  private static final long SLEEPS = 2 * FAILURES;

  /** Its failure has more bytes than it, because HSQLDB repeats the name. */
  private static final String UNKNOWN = "delete from \"%s\"".formatted("\u540d".repeat(200));

  private static final String SLEEP = "delete from item where pg_sleep(?) is null";
  private static final int KILLS = Integer.getInteger("forebay.kills", 4);
  private static final int AT_ONCE = 50;
  private static final int MOST_WAITING = 500;
  private static final Duration SOON = Duration.ofSeconds(60);

  public interface Orders {
    void order(long number);
  }

  /**
   * Answers order n with n modulo 4 inserts, and fails some; order -n with n large queries; order
   * DELETES + n with n statements that change nothing, and order FAILURES + n with n that fail;
   * order SLEEPS with a short and an endless one of equal text.
   */
  private record Booking(JDBCStatement statements) implements Orders {
    @Override
    public void order(long number) {
      if (isRefused(number)) {
        throw new IllegalArgumentException("refused");
      }
      for (long i = 0; i < -number; i++) {
        statements.executeQuery(GatewayFixture.LARGE, Row.class);
      }
      for (long i = DELETES; i < number && number < FAILURES; i++) {
        statements.executeUpdate("delete from item where id = ?", i);
      }
      if (number == SLEEPS) {
        statements.executeUpdate(SLEEP, 0.1);
        statements.executeUpdate(SLEEP, 600.0);
        return;
      }
      for (long i = FAILURES; i < number; i++) {
        statements.executeUpdate(UNKNOWN);
      }
      for (long i = 0; i < number % 4 && number < DELETES; i++) {
        statements.executeUpdate("insert into item (id) values (?)", number * 10 + i);
      }
    }
  }

  private static boolean isRefused(long number) {
    return number % 100 == 7;
  }

  private static long inserts(long number) {
    return isRefused(number) ? 0 : number % 4;
  }

  /** Both stages. */
  private static final class Pipeline implements AutoCloseable {

    private final DefinedService<Orders, JDBCStatement> booking;
    private final JDBCService shop;

    Pipeline(QueueBackend backend, Path directory, TestDatabase database) {
      this(backend, directory, database, GatewaySettings.DEFAULT_STATEMENT_TIMEOUT);
    }

    Pipeline(QueueBackend backend, Path directory, TestDatabase database, Duration timeout) {
      booking =
          DefinedService.open(
              backend,
              ServiceDefinition.of(
                      "booking",
                      Protocol.of(Orders.class),
                      Protocol.of(JDBCStatement.class, Aliases.none().with("row", Row.class)),
                      (_, statements) -> new Booking(statements))
                  .withPartitions(PARTITIONS)
                  .withOptions(ServiceOptions.defaults().withHistoryOneIn(2))
                  .withErrorPolicy(
                      ErrorPolicy.defaults().withFatal(IllegalArgumentException.class)),
              HostedProgress.inFiles(directory.resolve("progress")));
      shop =
          JDBCService.builder("shop")
              .from(backend, booking)
              .acceptText(true)
              .statementTimeout(timeout)
              .dataSource(database.gateway())
              .migrate(database.owner())
              .build();
      shop.start();
      booking.start();
    }

    /** How many orders are not booked yet. */
    long backlog() {
      return IntStream.range(0, PARTITIONS)
          .mapToLong(i -> booking.in().stats(i).end().orElseThrow() - shop.position(i))
          .sum();
    }

    @Override
    public void close() {
      try (booking) {
        shop.close();
      }
    }
  }

  @TempDir Path directory;

  private static ChronicleBackend queues(Path directory) {
    return ChronicleBackend.open(
        directory.resolve("data"), ChronicleBackend.Options.defaults().withMinFree(1 << 20, 0.001));
  }

  /** Sends orders without end and reports those that are stored. */
  static final class Sending {
    public static void main(String[] arguments) throws Exception {
      Path directory = Path.of(arguments[0]);
      Pipeline pipeline =
          new Pipeline(
              queues(directory), directory, TestDatabase.hsqldb(directory.resolve("database")));
      send(pipeline, Long.parseLong(arguments[1]));
    }

    private static void send(Pipeline pipeline, long first) throws Exception {
      try (Writer<Orders> writer = pipeline.booking.createWriter()) {
        for (long from = first; ; from += AT_ONCE) {
          for (long number = from; number < from + AT_ONCE; number++) {
            writer.calls().order(number);
          }
          writer.await(SOON);
          System.out.println("stored " + from);
          await().atMost(SOON).until(() -> pipeline.backlog() < MOST_WAITING);
        }
      }
    }
  }

  @Test
  void theLastMessageThatWasPerformedMayHaveNoStatement() throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"))) {
      database.createTable("item", "id bigint");
      try (ChronicleBackend queues = queues(directory);
          Pipeline pipeline = new Pipeline(queues, directory, database);
          Writer<Orders> writer = pipeline.booking.createWriter()) {
        for (long number : new long[] {1, 4}) {
          writer.partitionedBy("one").calls().order(number);
        }
        writer.await(SOON);
        await().atMost(SOON).until(() -> pipeline.backlog() == 0);
        assertThat(
                database.rows(
                    "select to_position - last_position from forebay.outcome"
                        + " where last_position is not null order by to_position desc"))
            .first()
            .isEqualTo("1");
      }
    }
  }

  @Test
  void eachStatementTakesEffectAndIsAnsweredOnceAfterAKill() throws Exception {
    survive(1);
  }

  @Tag("proof")
  @Test
  void eachStatementTakesEffectAndIsAnsweredOnceAfterKills() throws Exception {
    survive(KILLS);
  }

  private void survive(int kills) throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"))) {
      database.createTable("item", "id bigint");
    }
    Random random = new Random(12);
    List<String> expected = new ArrayList<>();
    for (int kill = 0; kill < kills; kill++) {
      try (ChildProcess child =
          ChildProcess.start(Sending.class, directory, 1 + kill * 1_000_000L)) {
        child.await("stored ");
        child.endsWithin(Duration.ofMillis(random.nextInt(500)));
        child.kill();
        for (String line : child.lines()) {
          if (line.matches("stored \\d+")) {
            long from = Long.parseLong(line.substring("stored ".length()));
            for (long number = from; number < from + AT_ONCE; number++) {
              for (long i = 0; i < inserts(number); i++) {
                expected.add(Long.toString(number * 10 + i));
              }
            }
          }
        }
      }
    }
    try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"));
        ChronicleBackend queues = queues(directory);
        Pipeline pipeline = new Pipeline(queues, directory, database)) {
      await().atMost(SOON).until(() -> pipeline.backlog() == 0);
      assertThat(pipeline.shop.drain(SOON)).isTrue();
      List<String> found = database.rows("select id from item");
      assertThat(found).doesNotHaveDuplicates().containsAll(expected);
      List<String> results = new ArrayList<>();
      try (Reader<JDBCResult> reader = pipeline.shop.createReader(new ResultLog(results, null))) {
        reader.toStart();
        await()
            .pollInSameThread()
            .until(() -> reader.poll(1_000) == 0 && results.size() >= found.size());
      }
      assertThat(results).hasSameSizeAs(found).containsOnly("1");
      assertThat(expected).hasSizeGreaterThan(kills * AT_ONCE / 2);
      Map<UUID, List<String>> booked = hops(pipeline.booking.out());
      Map<UUID, List<String>> performed = hops(pipeline.shop.out());
      assertThat(booked.keySet())
          .as("an order without a statement has no result")
          .containsAll(performed.keySet());
      assertThat(performed)
          .as("each order with a statement has a result")
          .hasSize((int) found.stream().map(id -> Long.parseLong(id) / 10).distinct().count());
      performed.forEach((id, hops) ->
          assertThat(hops)
              .isEqualTo(booked.get(id).isEmpty() ? List.of() : List.of("booking", "shop")));
      assertThat(performed.values())
          .as("one history in two messages")
          .filteredOn(hops -> !hops.isEmpty())
          .hasSizeBetween(performed.size() / 4, performed.size() * 3 / 4);
    }
  }

  /** The services in the history of each message. */
  private static Map<UUID, List<String>> hops(MessageQueue queue) {
    Map<UUID, List<String>> hops = new HashMap<>();
    for (int partition = 0; partition < queue.partitions(); partition++) {
      try (Tailer tailer = queue.tailer(partition)) {
        tailer.toStart();
        while (tailer.poll(
                1_000,
                (position, bytes) -> {
                  Message message = Message.peek(queue.name(), tailer.partition(), position, bytes);
                  hops.put(message.id(), message.history().stream().map(Hop::service).toList());
                })
            > 0) {
          // until all are read
        }
      }
    }
    return hops;
  }

  @Tag("proof")
  @Test
  void itPerformsEachStatementOnceOnKafkaWhileInstancesComeAndGo() throws Exception {
    String prefix = "stage-" + UUID.randomUUID() + ".";
    try (TestDatabase database = TestDatabase.postgresql();
        KafkaBackend ours = kafka(prefix);
        Pipeline stays = new Pipeline(ours, directory.resolve("ours"), database)) {
      database.createTable("item", "id bigint primary key");
      try (KafkaBackend theirs = kafka(prefix);
          Pipeline goes = new Pipeline(theirs, directory.resolve("theirs"), database);
          Writer<Orders> writer = stays.booking.createWriter()) {
        await().atMost(SOON).until(() -> goes.shop.states().size() == 1);
        for (long number = 1; number <= 400; number++) {
          writer.calls().order(number);
        }
        writer.await(SOON);
      }
      List<String> expected = new ArrayList<>();
      LongStream.rangeClosed(1, 400)
          .forEach(number ->
              LongStream.range(0, inserts(number))
                  .forEach(i -> expected.add(Long.toString(number * 10 + i))));
      assertThat(results(stays, expected.size())).hasSameSizeAs(expected).containsOnly("1");
      assertThat(database.rows("select id from item"))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  private static KafkaBackend kafka(String prefix) {
    return KafkaBackend.open(KafkaBackend.Options.of(TestBroker.shared()).withPrefix(prefix));
  }

  @Test
  void severalStatementsOfAMessageMayFail() throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"));
        ChronicleBackend queues = queues(directory);
        Pipeline pipeline = new Pipeline(queues, directory, database);
        Writer<Orders> writer = pipeline.booking.createWriter()) {
      database.createTable("item", "id bigint primary key");
      for (long number : List.of(4_002L, 4_002L, 4_001L)) {
        writer.partitionedBy("one").calls().order(number);
      }
      assertThat(results(pipeline, 5)).containsExactly("1", "1", "CONSTRAINT", "CONSTRAINT", "1");
      assertThat(database.rows("select position from forebay.failed_message")).hasSize(1);
    }
  }

  private static List<String> results(Pipeline pipeline, int count) {
    List<String> results = new ArrayList<>();
    try (Reader<JDBCResult> reader = pipeline.shop.createReader(new ResultLog(results, null))) {
      reader.toStart();
      await()
          .pollInSameThread()
          .atMost(SOON)
          .until(() -> reader.poll(1_000) == 0 && results.size() >= count);
    }
    return results;
  }

  @Test
  void resultsBeyondWhatAnAnswerCanCarryFailAlone() throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"));
        ChronicleBackend queues = queues(directory);
        Pipeline pipeline = new Pipeline(queues, directory, database);
        Writer<Orders> writer = pipeline.booking.createWriter()) {
      database.createTable("item", "id bigint primary key");
      pause(pipeline.shop, "so that all come together");
      for (long number : List.of(4_001L, -3L, -20L, 4_002L)) {
        writer.partitionedBy("one").calls().order(number);
      }
      writer.await(SOON);
      await().until(() -> pipeline.backlog() == 4);
      pipeline.shop.resume();
      String rows = "[[%s]]".formatted("x".repeat(450_000));
      List<String> expected = new ArrayList<>(List.of("1", rows, rows, "LIMIT", rows, rows));
      expected.addAll(Collections.nCopies(18, "LIMIT"));
      expected.addAll(List.of("1", "1"));
      assertThat(results(pipeline, 26)).isEqualTo(expected);
      assertThat(database.rows("select id from item order by id"))
          .containsExactly("40010", "40020", "40021");
    }
  }

  @Test
  void eachStatementOfALargeMessageIsAnsweredUpToALimit() throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"));
        ChronicleBackend queues = queues(directory);
        Pipeline pipeline = new Pipeline(queues, directory, database);
        Writer<Orders> writer = pipeline.booking.createWriter()) {
      database.createTable("item", "id bigint primary key");
      for (long number : List.of(DELETES + 6_000, DELETES + 6_001, FAILURES + 1_000, 4_001L)) {
        writer.partitionedBy("one").calls().order(number);
      }
      List<String> expected = new ArrayList<>(Collections.nCopies(6_000, "0"));
      expected.add("LIMIT");
      expected.addAll(Collections.nCopies(1_000, "STATEMENT"));
      expected.add("1");
      assertThat(results(pipeline, expected.size())).isEqualTo(expected);
    }
  }

  @Test
  void ofEqualStatementsOfAMessageTheEndlessOneFails() throws Exception {
    Duration timeout = Duration.ofSeconds(2);
    try (TestDatabase database = TestDatabase.postgresql();
        ChronicleBackend queues = queues(directory);
        Pipeline pipeline = new Pipeline(queues, directory, database, timeout);
        Writer<Orders> writer = pipeline.booking.createWriter()) {
      database.createTable("item", "id bigint primary key");
      for (long number : List.of(4_001L, SLEEPS, 4_005L)) {
        writer.partitionedBy("one").calls().order(number);
      }
      assertThat(results(pipeline, 4)).containsExactly("1", "0", "TIMEOUT", "1");
    }
  }

  @Test
  void nothingElseCanSendItAMessage() throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"));
        ChronicleBackend queues = queues(directory);
        Pipeline pipeline = new Pipeline(queues, directory, database)) {
      assertThat(pipeline.shop.durability())
          .as("nobody sends it streams")
          .hasValue(new Durability(Level.PROCESS, false, false, false));
      assertThatThrownBy(pipeline.shop::createClient)
          .hasMessageContaining("shop performs the answers of service booking");
      assertThatThrownBy(() ->
              new GatewayFailures(pipeline.shop)
                  .replay(List.of(FailureId.of("shop~0~0~a")), _ -> true, "me"))
          .isInstanceOf(DecisionRefused.class)
          .hasMessageContaining("send the call to the first stage again");
    }
  }
}
