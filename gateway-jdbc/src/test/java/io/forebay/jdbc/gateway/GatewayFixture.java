/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.forebay.call.value.Aliases;
import io.forebay.database.TestDatabase;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A gateway on queues in memory and a real database with tables. */
abstract class GatewayFixture {

  static final String INSERT = "insert into item (id, name, price) values (?, ?, ?)";
  static final String INSERT_OTHER = "insert into other (id) values (?)";

  /** Two of these results fit into a message. */
  static final String LARGE =
      "with t (much) as (select repeat('x', 450000) from (values (0)) v) select much from t";

  /** A row of the table of items. */
  record Item(long id, String name, double price) {}

  @TempDir Path directory;
  TestDatabase database;
  final MemoryBackend backend;
  JDBCService service;
  StatementClient client;

  GatewayFixture() {
    this(MemoryBackend.open());
  }

  GatewayFixture(MemoryBackend backend) {
    this.backend = backend;
  }

  TestDatabase open(Path directory) throws SQLException {
    return TestDatabase.hsqldb(directory);
  }

  void createTables() throws SQLException {
    database.createTable(
        "item", "id bigint, name varchar(20) not null, price double precision check (price >= 0)");
    database.createTable("other", "id bigint");
  }

  @BeforeEach
  void start() throws SQLException {
    database = open(directory);
    createTables();
    service = builder().build();
    service.start();
    client = service.createClient();
  }

  JDBCService.Builder builder() {
    return builder("shop");
  }

  JDBCService.Builder builder(String name) {
    return JDBCService.builder(name)
        .queues(backend, 1)
        .dataSource(database.gateway())
        .migrate(database.owner())
        .records(Aliases.none().with("item", Item.class));
  }

  /** Starts again with another configuration. */
  void restart(JDBCService.Builder builder) {
    client.close();
    service.close();
    service = builder.build();
    service.start();
    client = service.createClient();
  }

  @AfterEach
  void stop() throws SQLException {
    client.close();
    service.close();
    backend.close();
    database.close();
  }

  public static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(120, TimeUnit.SECONDS);
  }

  static SqlFailure failure(CompletableFuture<?> future) {
    try {
      get(future);
    } catch (ExecutionException e) {
      return assertThat(e.getCause()).asInstanceOf(type(SqlFailed.class)).actual().failure();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("the statement was performed");
  }
}
