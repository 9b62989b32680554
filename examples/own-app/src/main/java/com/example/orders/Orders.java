/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import io.forebay.call.CallFailure;
import io.forebay.call.FailureReceiver;
import io.forebay.call.Message;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.gateway.StatementClient;
import java.math.BigDecimal;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

@Component
class Orders implements Prices, FailureReceiver {

  private final JDBCStatement statements;
  private final StatementClient client;
  private final Pricing pricing;
  private final Map<UUID, String> failures = new ConcurrentHashMap<>();

  Orders(JDBCStatement statements, StatementClient client, Pricing pricing) {
    this.statements = statements;
    this.client = client;
    this.pricing = pricing;
  }

  /** Returns in microseconds; both calls are performed soon, even if the process dies now. */
  void place(UUID order, String item, int count) {
    statements.executeUpdate("insert into orders (id, item) values (?, ?)", order, item);
    pricing.price(order, count);
  }

  /** Called with each answer of our service, including those given while this process was down. */
  @Override
  public void priced(UUID order, BigDecimal total) {
    statements.executeUpdate("update orders set total = ? where id = ?", total, order);
  }

  /** Called with the failure of each call that our service did not perform. */
  @Override
  public void callFailed(CallFailure failure) {
    failures.put(Message.current().id(), failure.text());
  }

  /** The failures since the start, by the id of the call. */
  Map<UUID, String> failures() {
    return failures;
  }

  /** The client returns a future for each statement. */
  BigDecimal awaitTotal(UUID order) throws Exception {
    String query = "select total from orders where id = ? and total is not null";
    Rows rows = client.executeQuery(query, Row.class, order).get();
    while (rows.size() == 0) {
      Thread.sleep(10);
      rows = client.executeQuery(query, Row.class, order).get();
    }
    return (BigDecimal) rows.row(0).get("total");
  }
}
