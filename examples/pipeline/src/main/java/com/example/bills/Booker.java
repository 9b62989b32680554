/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.bills;

import io.forebay.jdbc.JDBCStatement;
import java.math.BigDecimal;
import java.util.UUID;

/** The second stage says what is written to the database; the third, a gateway, writes it. */
record Booker(JDBCStatement statements) implements Bills {

  @Override
  public void billed(UUID order, String item, BigDecimal total) {
    statements.executeUpdate(
        "insert into bill (id, item, total) values (?, ?, ?)", order, item, total);
    statements.executeUpdate("update account set owed = owed + ?", total);
  }
}
