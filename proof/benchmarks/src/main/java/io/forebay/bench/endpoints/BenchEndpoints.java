/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Endpoints without Forebay's queue: one that inserts directly, and one that does nothing. They are
 * handlers of the same kind as the door's, with the same body and answer.
 */
final class BenchEndpoints {

  private BenchEndpoints() {}

  static void empty(HttpServletRequest request, HttpServletResponse response) throws IOException {
    accepted(response, Order.read(request));
  }

  /** Inserts and commits before it answers. */
  static void insert(DataSource pool, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Order order = Order.read(request);
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(Order.INSERT)) {
      order.bind(statement);
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new IOException("the order was not inserted", e);
    }
    accepted(response, order);
  }

  /** Writes an answer of the same size as the door's. */
  private static void accepted(HttpServletResponse response, Order order) throws IOException {
    UUID id = UUID.randomUUID();
    response.setHeader(
        "Location",
        "/api/v1/results/"
            + id
            + "?gateway=main&partition=0&position="
            + order.id()
            + "&key=%C2%B6"
            + id);
    write(
        response,
        202,
        "{\"id\":\""
            + id
            + "\",\"gateway\":\"main\",\"partition\":0,\"position\":"
            + order.id()
            + ",\"level\":\"disk\"}");
  }

  private static void write(HttpServletResponse response, int status, String json)
      throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.setContentType("application/json");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
