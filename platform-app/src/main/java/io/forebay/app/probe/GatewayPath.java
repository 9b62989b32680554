/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.spring.GatewayCopies;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import java.util.List;

/** A message is an insert; it is complete when its result was read. */
final class GatewayPath extends ProbePath {

  /** A rate at which more are unanswered ends as one that the database does not keep up with. */
  private static final int MOST_UNANSWERED = 2_000_000;

  private final JDBCService service;
  private final StatementClient client;
  private final ProbeTable table;
  private final String content;

  GatewayPath(
      QueueBackend backend,
      GatewayCopies.Original gateway,
      ProbeTable table,
      String name,
      int bytes)
      throws InterruptedException {
    this.table = table;
    content = "x".repeat(bytes);
    service = gateway.copy(name, backend, table);
    try {
      service.database().prepare();
      table.empty();
      start(service);
    } catch (InterruptedException | RuntimeException e) {
      service.close();
      throw e;
    }
    client = service.createClient(MOST_UNANSWERED);
  }

  @Override
  void append(long due) {
    client
        .executeUpdate(ProbeTable.INSERT, table.nextId(), content)
        .whenComplete((_, failure) -> {
          if (failure == null) {
            completed(due);
          } else {
            failed(failure);
          }
        });
  }

  @Override
  MessageQueue in() {
    return service.in();
  }

  @Override
  List<MessageQueue> queues() {
    return List.of(service.in(), service.out());
  }

  @Override
  public void close() {
    try (service) {
      client.close();
    }
  }
}
