/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.JDBCService;
import io.forebay.jdbc.http.CatalogueStatements;
import io.forebay.jdbc.http.TestCatalogue;
import io.forebay.queue.MemoryBackend;
import io.forebay.queue.QueueBackend;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A gateway in front of a database in memory, with a catalogue. */
final class TestGateway implements AutoCloseable {

  final DataSource database =
      new DriverManagerDataSource(
          "jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc", "SA", "");
  final JdbcTemplate sql = new JdbcTemplate(database);
  final JDBCService service;
  private final QueueBackend backend;
  private final TestCatalogue catalogue;

  TestGateway(Path directory, String yaml) throws Exception {
    this(directory, yaml, MemoryBackend.open(), 100_000);
  }

  TestGateway(Path directory, String yaml, QueueBackend backend, int maxOutstanding)
      throws Exception {
    this.backend = backend;
    service =
        JDBCService.builder("main")
            .queues(backend, 1)
            .dataSource(database)
            .migrate(database)
            .build();
    catalogue =
        new TestCatalogue(directory.resolve("catalogue.yaml"), yaml, service, maxOutstanding);
  }

  CatalogueStatements statements() {
    return catalogue.statements();
  }

  @Override
  public void close() throws Exception {
    catalogue.close();
    service.close();
    backend.close();
  }
}
