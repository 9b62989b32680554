/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.gateway.JDBCService;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application that inserts orders, and statements that insert their bills, in one transaction;
 * with queues in files, and a gateway and an outbox on PostgreSQL.
 */
final class OutboxShop implements AutoCloseable {

  private final ChronicleBackend queues;
  private final JDBCService gateway;
  private final JdbcTemplate jdbc;
  private final TransactionTemplate transaction;
  private final Relay relay;
  private final TransactionalCalls<JDBCStatement> statements;

  OutboxShop(String url, Path data) throws SQLException {
    DataSource database = as(url, "forebay_owner");
    OutboxTable.migrate(database);
    jdbc = new JdbcTemplate(database);
    transaction = new TransactionTemplate(new JdbcTransactionManager(database));
    queues = ChronicleBackend.open(data);
    gateway =
        JDBCService.builder("bills")
            .queues(queues, 2)
            .dataSource(as(url, "forebay_gateway"))
            .migrate(database)
            .build();
    relay = new Relay(database, () -> Map.of("bills", gateway));
    statements = new Outbox(database, relay).calls(gateway);
    gateway.start();
    relay.task().start();
  }

  private static DataSource as(String url, String role) {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(url);
    database.setUser(role);
    return database;
  }

  static void createTables(TestPostgres postgres) {
    postgres.createTable("create table orders (id bigint generated always as identity)");
    postgres.createTable("create table bill (id bigint)"); // also takes an order twice
  }

  /** Places orders without end; every seventh is rolled back. */
  void placeOrders() {
    for (int i = 0; ; i++) {
      boolean rolledBack = i % 7 == 0;
      transaction.executeWithoutResult((TransactionStatus status) -> {
        Long id = jdbc.queryForObject("insert into orders default values returning id", Long.class);
        statements.send(it -> it.executeUpdate("insert into bill values (?)", id));
        if (rolledBack) {
          status.setRollbackOnly();
        }
      });
      System.out.println("placed " + i);
    }
  }

  /** Whether everything that was sent is performed. */
  boolean isDone() {
    return jdbc.queryForObject("select count(*) from forebay_outbox", Long.class) == 0
        && IntStream.range(0, gateway.in().partitions())
            .allMatch(it -> gateway.position(it) == gateway.in().stats(it).end().orElse(-1));
  }

  @Override
  public void close() {
    relay.close();
    gateway.close();
    queues.close();
  }
}
