/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import io.forebay.jdbc.JDBCStatement;
import java.math.BigDecimal;
import java.util.UUID;

/** The second stage says what is booked; the third, a gateway, does it in one transaction. */
record Booker(JDBCStatement statements) implements Prices {

  @Override
  public void priced(UUID order, BigDecimal total) {
    statements.executeUpdate("insert into bill (id, total) values (?, ?)", order, total);
    statements.executeUpdate("update account set owed = owed + ?", total);
  }
}
