/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.CatalogueFiles;
import io.forebay.jdbc.catalogue.CatalogueStatements;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.results.ResultFeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** A catalogue of one gateway, without an application around it. */
public final class TestCatalogue implements AutoCloseable {

  private final DoorGateway gateway;
  private final CatalogueStatements statements;

  /**
   * @param file where the catalogue is written
   */
  public TestCatalogue(Path file, String yaml, JDBCService service) throws IOException {
    this(file, yaml, service, 100_000);
  }

  /**
   * @param maxOutstanding how many statements its client may have unanswered
   */
  public TestCatalogue(Path file, String yaml, JDBCService service, int maxOutstanding)
      throws IOException {
    Files.writeString(file, yaml);
    StatementClient client = service.createClient(maxOutstanding);
    gateway =
        new DoorGateway(
            service,
            client,
            service.createStreamWriter(),
            service.createKeyedResults(),
            new ResultFeed(client));
    Gateways gateways = new Gateways(List.of(gateway));
    LiveCatalogue catalogue =
        new LiveCatalogue(
            new CatalogueFiles(
                new PathMatchingResourcePatternResolver(),
                List.of(file.toUri().toString()),
                file.toUri().toString()));
    catalogue.load(gateways.names());
    statements = new CatalogueStatements(catalogue, gateways);
  }

  public CatalogueStatements statements() {
    return statements;
  }

  @Override
  public void close() {
    gateway.client().close();
    gateway.close();
  }
}
