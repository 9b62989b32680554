/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.SwitchableDataSource;
import io.forebay.database.TestDatabase;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Results;
import io.forebay.queue.Level;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.service.ServiceOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A gateway whose queues and database are directories that a test may copy and restore: {@code
 * data} and {@code database}. Statements insert a number each.
 */
final class ShopOnDisk implements AutoCloseable {

  static final Duration SOON = Duration.ofSeconds(120);

  private static final String INSERT = "insert into item (id) values (?)";

  private final Path directory;
  private TestDatabase database;
  private SwitchableDataSource gateway;
  private Level level = Level.DISK;
  private Results results = Results.ALL;

  ShopOnDisk(Path directory) throws SQLException {
    this.directory = directory;
    openDatabase();
    database.createTable("item", "id bigint");
  }

  void openDatabase() throws SQLException {
    use(TestDatabase.hsqldb(directory.resolve("database")));
  }

  /** Lets the gateway work with another database from the next life on. */
  TestDatabase use(TestDatabase other) {
    TestDatabase before = database;
    database = other;
    gateway = new SwitchableDataSource(other.gateway());
    return before;
  }

  void closeDatabase() throws SQLException {
    database.close();
  }

  TestDatabase database() {
    return database;
  }

  void level(Level value) {
    level = value;
  }

  void results(Results value) {
    results = value;
  }

  /** Whether the database cannot be reached. */
  void away(boolean away) {
    gateway.down = away;
  }

  Path data() {
    return directory.resolve("data");
  }

  Path queues() {
    return data().resolve("queues");
  }

  /** One life of the service. */
  void run(Consumer<JDBCService> use) {
    run(
        ChronicleBackend.open(
            data(),
            ChronicleBackend.Options.defaults().withLevel(level).withMinFree(1 << 20, 0.001)),
        use);
  }

  /** One life of the service on other queues, which are closed at its end. */
  void run(QueueBackend queues, Consumer<JDBCService> use) {
    try (queues;
        JDBCService service =
            JDBCService.builder("shop")
                .queues(queues, 1)
                .dataSource(gateway)
                .migrate(database.owner())
                .results(results)
                .options(
                    ServiceOptions.defaults()
                        .withHistoryOneIn(0)
                        .withRetry(Duration.ofMillis(10), Duration.ofMillis(50)))
                .build()) {
      service.start();
      use.accept(service);
    }
  }

  /** One life, in which these numbers are inserted. */
  void perform(long from, long to) {
    run(service -> {
      send(service, from, to);
      await().atMost(SOON).until(() -> effects().containsAll(numbers(from, to)));
    });
  }

  /** Returns when they are accepted. */
  static void send(JDBCService service, long from, long to) {
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      for (long id = from; id < to; id++) {
        writer.calls().executeUpdate(INSERT, id);
      }
      writer.await(SOON);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Performs all that was accepted; the next life may use another queue. */
  static boolean drained(JDBCService service) {
    try {
      return service.drain(SOON);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** It takes nothing, for these reasons, and does not say that it is ready. */
  static void assertRefused(JDBCService service, String... reasons) {
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      assertThatThrownBy(() -> writer.calls().executeUpdate(INSERT, 1_000L))
          .isInstanceOfSatisfying(
              QueueRefused.class,
              refused -> assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.FAILED))
          .hasMessageContainingAll(reasons);
    }
    QueueStats.Refusal refusal = service.in().stats(0).refusal();
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).isEqualTo(QueueRefused.Reason.FAILED);
    assertThat(service.view().accepts()).isFalse();
  }

  void awaitEffects(int count) {
    await().atMost(SOON).until(() -> effects().size() >= count);
  }

  /** The numbers that were inserted, in order, each as often as it was. */
  List<Long> effects() {
    try {
      return database.rows("select id from item order by id").stream().map(Long::valueOf).toList();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  static List<Long> numbers(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  /** Sets the progress, as docs/operations.md says. */
  void continueAt(long position) {
    execute("delete from forebay.outcome where service = 'shop' and partition_id = 0");
    execute(
        "insert into forebay.outcome (service, partition_id, queue_id, to_position)"
            + " select service, partition_id, queue_id, "
            + position
            + " from forebay.progress where service = 'shop' and partition_id = 0");
  }

  void execute(String sql) {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(file -> {
        try {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      });
    }
  }

  @Override
  public void close() throws SQLException {
    database.close();
  }
}
