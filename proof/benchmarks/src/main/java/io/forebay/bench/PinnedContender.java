/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/** A queue in front of a table of PostgreSQL. */
interface PinnedContender extends AutoCloseable {

  /** The rows of the table. */
  enum Kind {
    FOREBAY,
    /**
     * A table as a queue: a row per statement, which one of four workers deletes with the effect.
     */
    QUEUE_TABLE;

    PinnedContender open(Path folder, String url) throws SQLException {
      return this == FOREBAY ? new Gateway(folder, url) : new QueueTable(url);
    }
  }

  /** Inserts an order and waits until that is done. Many threads call it. */
  void perform(long number);

  @Override
  void close() throws Exception;

  /** A gateway with its queue in files. */
  final class Gateway implements PinnedContender {

    private final ChronicleBackend backend;
    private final JDBCService service;
    private final StatementClient client;

    private Gateway(Path folder, String url) {
      backend = ChronicleBackend.open(folder, ChronicleBackend.Options.defaults());
      service = Postgres.databaseOf(JDBCService.builder("forebay").queues(backend, 1), url).build();
      service.start();
      client = service.createClient();
    }

    @Override
    public void perform(long number) {
      try {
        client.executeUpdate(Burst.INSERT, number, "customer", 0.25).get();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      client.close();
      service.close();
      backend.close();
    }
  }

  /** The usual queue in SQL: {@code for update skip locked}. */
  final class QueueTable implements PinnedContender {

    private static final int WORKERS = 4;
    private static final int SENDERS = 4;
    private static final String TAKE =
        "delete from queue where id = (select id from queue order by id limit 1"
            + " for update skip locked) returning id, customer, amount";

    private final HikariDataSource pool;
    private final Map<Long, CompletableFuture<Void>> waiting = new ConcurrentHashMap<>();
    private final Semaphore inserted = new Semaphore(0);
    private final List<Thread> workers =
        Stream.generate(() -> new Thread(this::work, "worker")).limit(WORKERS).toList();

    private QueueTable(String url) throws SQLException {
      HikariConfig config = new HikariConfig();
      config.setDataSource(Postgres.dataSource(url, Postgres.OWNER));
      config.setMaximumPoolSize(WORKERS + SENDERS);
      pool = new HikariDataSource(config);
      Database database = pool::getConnection;
      database.execute(
          "create table queue (id bigint primary key, customer varchar(40), amount double"
              + " precision)");
      workers.forEach(Thread::start);
    }

    @Override
    public void perform(long number) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      waiting.put(number, done);
      try (Connection connection = pool.getConnection();
          PreparedStatement insert =
              connection.prepareStatement("insert into queue values (?, 'customer', 0.25)")) {
        insert.setLong(1, number);
        insert.executeUpdate();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
      inserted.release();
      done.join();
    }

    private void work() {
      try (Connection connection = pool.getConnection();
          PreparedStatement take = connection.prepareStatement(TAKE);
          PreparedStatement insert = connection.prepareStatement(Burst.INSERT)) {
        connection.setAutoCommit(false);
        while (true) {
          inserted.acquire();
          long id;
          try (ResultSet row = take.executeQuery()) {
            if (!row.next()) {
              inserted.release(); // others had locked all rows that this statement saw
              connection.rollback();
              continue;
            }
            id = row.getLong(1);
            insert.setLong(1, id);
            insert.setString(2, row.getString(2));
            insert.setDouble(3, row.getDouble(3));
          }
          insert.executeUpdate();
          connection.commit();
          waiting.remove(id).complete(null);
        }
      } catch (InterruptedException e) {
        // it is closed
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws InterruptedException {
      workers.forEach(Thread::interrupt);
      for (Thread worker : workers) {
        worker.join();
      }
      pool.close();
    }
  }
}
