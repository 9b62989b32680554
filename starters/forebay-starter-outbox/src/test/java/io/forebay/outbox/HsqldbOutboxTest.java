/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.operations.StartRefused;
import io.forebay.testing.Ports;
import java.util.UUID;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.hsqldb.server.Server;
import org.junit.jupiter.api.Test;

class HsqldbOutboxTest extends OutboxContract {

  @Override
  DataSource open() {
    JDBCDataSource database = new JDBCDataSource();
    database.setURL("jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc");
    database.setUser("sa");
    return database;
  }

  @Test
  void refusesAServerThatOtherProcessesCanUse() throws Exception {
    Server server = new Server();
    server.setSilent(true);
    server.setAddress("127.0.0.1");
    server.setPort(Ports.free());
    server.setDatabaseName(0, "shop");
    server.setDatabasePath(0, "mem:" + UUID.randomUUID());
    server.start();
    try {
      JDBCDataSource remote = new JDBCDataSource();
      remote.setURL("jdbc:hsqldb:hsql://127.0.0.1:" + server.getPort() + "/shop");
      remote.setUser("sa");
      assertThatThrownBy(() -> OutboxTable.migrate(remote))
          .isInstanceOf(StartRefused.class)
          .hasMessageContaining("HSQLDB server");
    } finally {
      server.stop();
    }
  }
}
