/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.shop;

import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.outbox.Outbox;
import io.forebay.outbox.TransactionalCalls;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Orders are in the application's own database, shipments in the database of the gateway. */
@Service
class Orders {

  private final JdbcClient database;
  private final TransactionalCalls<JDBCStatement> statements;
  private final StatementClient shipments;

  Orders(JdbcClient database, Outbox outbox, JDBCService gateway, StatementClient shipments) {
    this.database = database;
    this.statements = outbox.calls(gateway);
    this.shipments = shipments;
  }

  /** Whatever fails, the order has one shipment, or there is neither. */
  @Transactional
  public UUID place(String item) {
    UUID order = UUID.randomUUID();
    database.sql("insert into orders (id, item) values (?, ?)").params(order, item).update();
    statements.send(
        it -> it.executeUpdate("insert into shipment (id, item) values (?, ?)", order, item));
    return order;
  }

  Object awaitShipment(UUID order) throws Exception {
    String query = "select item from shipment where id = ?";
    Rows rows = shipments.executeQuery(query, Row.class, order).get();
    while (rows.size() == 0) {
      Thread.sleep(10);
      rows = shipments.executeQuery(query, Row.class, order).get();
    }
    return rows.row(0).get("item");
  }
}
