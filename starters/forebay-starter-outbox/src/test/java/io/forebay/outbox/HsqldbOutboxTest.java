/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import java.util.UUID;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;

class HsqldbOutboxTest extends OutboxContract {

  @Override
  DataSource open() {
    JDBCDataSource database = new JDBCDataSource();
    database.setURL("jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc");
    database.setUser("sa");
    return database;
  }
}
