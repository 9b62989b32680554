/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import io.forebay.call.Writer;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** The actions of customers, as statements and mails. For one thread. */
final class Shop implements AutoCloseable {

  static final Duration KEPT = Duration.ofHours(1);

  static final String NOTE_MAIL = "insert into sent_mail (id, recipient, sent_at) values (?, ?, ?)";

  private static final String PLACE =
      "insert into orders (id, customer, item, quantity, price, placed_at) values (?, ?, ?, ?, ?, ?)";
  private static final String ADD_LINE =
      "insert into order_line (order_id, item, quantity) values (?, ?, ?)";
  private static final String FORGET_ORDERS = "delete from orders where placed_at < ?";
  private static final String PAY =
      "insert into payment (id, customer, amount, paid_at) values (?, ?, ?, ?)";
  private static final String FORGET_PAYMENTS = "delete from payment where paid_at < ?";
  private static final String MOVE =
      "insert into stock_movement (id, item, quantity, moved_at) values (?, ?, ?, ?)";
  private static final String FORGET_MOVEMENTS = "delete from stock_movement where moved_at < ?";

  private static final String FORGET_INVOICES = "delete from invoice where sent_at < ?";
  private static final String FORGET_MAIL = "delete from sent_mail where sent_at < ?";

  private static final String[] ITEMS = {"tea", "coffee", "cocoa", "sugar", "rice", "pepper"};

  private final JDBCStatement orders;
  private final JDBCStatement payments;
  private final Writer<JDBCStatement> stock;
  private final Mail mail;
  private final RandomGenerator random;

  Shop(
      JDBCStatement orders,
      JDBCStatement payments,
      Writer<JDBCStatement> stock,
      Mail mail,
      RandomGenerator random) {
    this.orders = orders;
    this.payments = payments;
    this.stock = stock;
    this.mail = mail;
    this.random = random;
  }

  void order() {
    placed(1 + random.nextInt(5));
  }

  /** The table's check constraint refuses it. */
  void orderOfNothing() {
    placed(0);
  }

  private void placed(int quantity) {
    orders.executeUpdate(
        PLACE, UUID.randomUUID(), customer(), item(), (long) quantity, price(), Instant.now());
  }

  void orderWithLines() {
    UUID id = UUID.randomUUID();
    orders.executeTogether(
        List.of(
            Call.of(PLACE, id, customer(), "basket", 1L, BigDecimal.TEN, Instant.now()),
            Call.of(ADD_LINE, id, item(), 1L),
            Call.of(ADD_LINE, id, item(), 2L)));
  }

  void pay() {
    payments.executeUpdate(PAY, UUID.randomUUID(), customer(), price(), Instant.now());
  }

  /** The table's check constraint refuses it. */
  void payNothing() {
    payments.executeUpdate(PAY, UUID.randomUUID(), customer(), BigDecimal.ZERO, Instant.now());
  }

  void move() {
    stock.calls().executeUpdate(MOVE, UUID.randomUUID(), item(), 1L, Instant.now());
  }

  void write() {
    mail.send(customer() + "@example.org", "Your order is on its way");
  }

  /** Deletes rows older than an hour, so that the demo can run for weeks. */
  void forget() {
    Instant before = Instant.now().minus(KEPT);
    orders.executeUpdate(FORGET_ORDERS, before);
    orders.executeUpdate(FORGET_MAIL, before);
    payments.executeUpdate(FORGET_PAYMENTS, before);
    payments.executeUpdate(FORGET_INVOICES, before);
    stock.calls().executeUpdate(FORGET_MOVEMENTS, before);
  }

  private BigDecimal price() {
    return BigDecimal.valueOf(100 + random.nextInt(900), 2);
  }

  private String customer() {
    return "customer-" + random.nextInt(1_000);
  }

  private String item() {
    return ITEMS[random.nextInt(ITEMS.length)];
  }

  @Override
  public void close() {
    stock.close();
  }
}
