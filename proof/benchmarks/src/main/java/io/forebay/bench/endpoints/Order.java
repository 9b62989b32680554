/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.json.JsonFactory;

/** The body of a request, read token by token as the door does. */
record Order(long id, int run, String customer, double amount) {

  static final String INSERT = "insert into orders (id, run, customer, amount) values (?, ?, ?, ?)";

  private static final JsonFactory JSON = new JsonFactory();

  /**
   * @throws IOException if the body is not a valid order
   */
  static Order read(HttpServletRequest request) throws IOException {
    byte[] body = request.getInputStream().readNBytes(request.getContentLength());
    long id = -1;
    int run = -1;
    String customer = null;
    double amount = Double.NaN;
    try (JsonParser in = JSON.createParser(body)) {
      in.nextToken();
      while (in.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = in.currentName();
        in.nextToken();
        switch (name) {
          case "id" -> id = in.getLongValue();
          case "run" -> run = in.getIntValue();
          case "customer" -> customer = in.getString();
          case "amount" -> amount = in.getDoubleValue();
          default -> throw new IOException("an order does not have this property");
        }
      }
    }
    if (id < 0 || run < 0 || customer == null || Double.isNaN(amount)) {
      throw new IOException("an order lacks a property");
    }
    return new Order(id, run, customer, amount);
  }

  /** Sets the parameters of {@link #INSERT}. */
  void bind(PreparedStatement statement) throws SQLException {
    statement.setLong(1, id);
    statement.setInt(2, run);
    statement.setString(3, customer);
    statement.setDouble(4, amount);
  }
}
