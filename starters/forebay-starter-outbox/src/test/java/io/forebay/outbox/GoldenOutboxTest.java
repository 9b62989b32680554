/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.NoEvents;
import io.forebay.database.MigrationHistory;
import io.forebay.database.TestPostgres;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.machine.Machine;
import io.forebay.outbox.OutboxContract.Orders;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.progress.HostedProgress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Hands over what version 0.1.0 has left in its table. With {@code -Dforebay.golden.write=true} the
 * tables are first written anew, which nobody may do after the release.
 */
class GoldenOutboxTest {

  private static final boolean WRITES = Boolean.getBoolean("forebay.golden.write");
  private static final Path GOLDEN =
      Path.of("src/test/resources/io/forebay/outbox/golden").toAbsolutePath();
  private static final Path DUMP = GOLDEN.resolve("postgresql.dump");
  private static final List<String> FILES = List.of("shop.script", "shop.properties");

  private final List<String> placed = new CopyOnWriteArrayList<>();
  private final MemoryBackend queues =
      MemoryBackend.open(OutboxContract.QUEUE_BYTES, Machine.wall());
  private final DefinedService<Orders, NoEvents> service =
      DefinedService.open(
          queues,
          ServiceDefinition.of("orders", Orders.class, () -> this::place),
          HostedProgress.none());

  @TempDir Path directory;

  private void place(String customer, int number) {
    placed.add("%s %s %d".formatted(Message.current().id(), customer, number));
  }

  @AfterEach
  void end() {
    service.close();
    queues.close();
  }

  @Test
  void theTableOfPostgresql() throws Exception {
    Path known = GOLDEN.resolve("postgresql.txt");
    if (WRITES) {
      try (TestPostgres postgres = TestPostgres.shared()) {
        write(postgres.owner(), known);
        Files.writeString(DUMP, dump(new JdbcTemplate(postgres.owner())));
      }
    }
    try (TestPostgres postgres = TestPostgres.shared()) {
      new JdbcTemplate(postgres.owner()).execute(Files.readString(DUMP));
      check(postgres.owner(), known);
    }
  }

  @Test
  void theTableOfHsqldb() throws Exception {
    Path known = GOLDEN.resolve("hsqldb.txt");
    if (WRITES) {
      DataSource written = hsqldb("written");
      write(written, known);
      new JdbcTemplate(written).execute("shutdown script"); // also the rows, as text
      copy(directory.resolve("written"), GOLDEN);
    }
    DataSource database = hsqldb("read");
    copy(GOLDEN, Files.createDirectory(directory.resolve("read")));
    check(database, known);
    new JdbcTemplate(database).execute("shutdown");
  }

  private DataSource hsqldb(String name) {
    JDBCDataSource database = new JDBCDataSource();
    database.setURL("jdbc:hsqldb:file:" + directory.resolve(name).resolve("shop"));
    database.setUser("sa");
    return database;
  }

  private static void copy(Path from, Path to) throws IOException {
    for (String file : FILES) {
      Files.write(to.resolve(file), Files.readAllBytes(from.resolve(file)));
    }
  }

  /**
   * @param known gets what the service must get
   */
  private void write(DataSource database, Path known) throws Exception {
    OutboxTable.migrate(database);
    List<String> sent = new ArrayList<>();
    try (Relay relay = relay(database)) {
      for (int i = 1; i <= 10; i++) {
        String customer = "customer-" + i % 3;
        sent.add("%s %s %d".formatted(send(database, relay, customer, i), customer, i));
      }
    }
    Files.write(known, sent);
  }

  private void check(DataSource database, Path known) throws Exception {
    OutboxTable.migrate(database);
    List<String> expected = new ArrayList<>(Files.readAllLines(known));
    assertThat(expected).hasSize(10);
    try (Relay relay = relay(database)) {
      expected.add("%s new 11".formatted(send(database, relay, "new", 11)));
      relay.task().run();
      service.start();
      await().untilAsserted(() -> assertThat(placed).containsExactlyElementsOf(expected));
    }
    assertThat(
            new JdbcTemplate(database)
                .queryForObject("select count(*) from forebay_outbox", Long.class))
        .isZero();
  }

  private Relay relay(DataSource database) {
    return new Relay(database, () -> Map.of("orders", service));
  }

  private UUID send(DataSource database, Relay relay, String customer, int number) {
    return new TransactionTemplate(new JdbcTransactionManager(database))
        .execute(_ ->
            new Outbox(database, relay)
                .calls(service)
                .send(customer, it -> it.place(customer, number)));
  }

  /** The servers of the tests have no {@code pg_dump}. */
  private static String dump(JdbcTemplate database) throws IOException {
    StringBuilder dump = new StringBuilder(MigrationHistory.create("forebay_outbox_history"));
    dump.append(migration("common/V1__outbox.sql")).append(migration("postgresql/V2__storage.sql"));
    for (String table : List.of("forebay_outbox_history", "forebay_outbox")) {
      database
          .queryForList(
              """
              select format('insert into %1$s overriding system value
                select * from json_populate_record(null::%1$s, %%L);', row_to_json(it))
              from %1$s it
              """
                  .formatted(table),
              String.class)
          .forEach(row -> dump.append(row).append('\n'));
    }
    return dump.append("select setval(pg_get_serial_sequence('forebay_outbox', 'id'), max(id))")
        .append(" from forebay_outbox;\n")
        .toString();
  }

  private static String migration(String name) throws IOException {
    try (InputStream sql = OutboxTable.class.getResourceAsStream(name)) {
      return new String(sql.readAllBytes(), StandardCharsets.UTF_8)
          .replace("${table}", "table")
          .replace("${bytes}", "bytea");
    }
  }
}
