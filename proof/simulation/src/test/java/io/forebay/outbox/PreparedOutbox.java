/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.hosting.HostedService;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;

/** The outbox of a simulated process, for one service. */
public final class PreparedOutbox<I> implements AutoCloseable {

  private final Relay relay;
  private final TransactionalCalls<I> calls;

  /**
   * @param database whose table {@link #createTable} has created
   */
  public PreparedOutbox(DataSource database, HostedService<I, ?> service) {
    relay = new Relay(database, () -> Map.of(service.name(), service));
    calls = new Outbox(database, relay).calls(service);
    relay.start();
  }

  public static void createTable(DataSource database) throws SQLException {
    OutboxTable.migrate(database);
  }

  public TransactionalCalls<I> calls() {
    return calls;
  }

  @Override
  public void close() {
    relay.close();
  }
}
