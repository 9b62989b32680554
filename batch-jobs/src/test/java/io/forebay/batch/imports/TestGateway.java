/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.database.TestPostgres;
import io.forebay.jdbc.catalogue.CatalogueStatements;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.http.TestCatalogue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.file.Path;
import org.springframework.jdbc.core.JdbcTemplate;

/** A gateway with an in-memory queue and a catalogue. */
final class TestGateway implements AutoCloseable {

  final TestPostgres database = TestPostgres.shared();
  final JdbcTemplate sql = new JdbcTemplate(database.owner());
  final JDBCService service;
  private final QueueBackend backend = MemoryBackend.open();
  private final TestCatalogue catalogue;

  /**
   * @param maxOutstanding how many statements its client may have unanswered
   */
  TestGateway(Path directory, String yaml, int maxOutstanding) throws Exception {
    service =
        JDBCService.builder("main")
            .queues(backend, 1)
            .dataSource(database.gateway())
            .migrate(database.owner())
            .build();
    catalogue =
        new TestCatalogue(directory.resolve("catalogue.yaml"), yaml, service, maxOutstanding);
  }

  CatalogueStatements statements() {
    return catalogue.statements();
  }

  @Override
  public void close() {
    catalogue.close();
    service.close();
    backend.close();
    database.close();
  }
}
