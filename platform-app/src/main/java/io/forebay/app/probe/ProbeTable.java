/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.spring.GatewayCopies;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table that the probe inserts into, alone in a schema that the owner of schema forebay
 * creates. It is the only table that the probe touches, besides those of the ledger. Not
 * thread-safe, except as a catalogue.
 */
final class ProbeTable implements StatementCatalogue {

  /** The reference of the insert, which has the parameters id and content. */
  static final String INSERT = "probe.insert@1";

  private static final String NO_RIGHT = "42501";

  /** An unknown schema; HSQLDB also reports an unknown table as a missing right. */
  private static final Set<String> NOT_THERE = Set.of("3F000", NO_RIGHT);

  /** The tables of the ledger that name the service to which a row belongs. */
  private static final List<String> LEDGER =
      List.of("progress", "outcome", "former_queue", "request", "dead_letter", "failed_statement");

  private final GatewayCopies.Original gateway;
  private final String id;
  private final String schema;
  private final Entry insert;
  private boolean created;
  private long nextId;

  /**
   * @param id that of the probe, with which the names of its services begin
   */
  ProbeTable(GatewayCopies.Original gateway, String id) {
    this.gateway = gateway;
    this.id = id;
    schema = "forebay_" + id.replace('-', '_');
    insert = new Insert("insert into " + schema + ".message (id, content) values (?, ?)");
  }

  /**
   * Creates the table, or deletes its rows.
   *
   * @throws IllegalStateException if the database refuses that
   */
  void empty() {
    try (Connection connection = gateway.owning().getConnection();
        Statement statement = connection.createStatement()) {
      if (created) {
        statement.execute("truncate table " + schema + ".message");
        return;
      }
      statement.execute("create schema " + schema);
      statement.execute(
          "create table %s.message (id bigint primary key, content varchar(%d) not null)"
              .formatted(schema, ProbeRequest.LARGEST));
      String role = role();
      if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
        statement.execute("grant usage on schema " + schema + " to " + role);
      }
      statement.execute("grant insert on " + schema + ".message to " + role);
      created = true;
    } catch (SQLException e) {
      if (NO_RIGHT.equals(e.getSQLState())) {
        throw new IllegalStateException(
            "The owner of schema forebay may not create a schema in the database of gateway %s, which the probe needs for a table of its own; grant create on the database to that role, or leave the database out with --paths=append,service"
                .formatted(gateway.name()),
            e);
      }
      throw new IllegalStateException(
          "The table of the probe cannot be created in the database of gateway %s: %s (%s)"
              .formatted(gateway.name(), SqlErrors.told(e), e.getMessage()),
          e);
    }
  }

  /** The role that performs statements, quoted for SQL. */
  private String role() throws SQLException {
    try (Connection connection = gateway.performing().getConnection()) {
      return '"' + connection.getMetaData().getUserName().replace("\"", "\"\"") + '"';
    }
  }

  long nextId() {
    return nextId++;
  }

  /** The product and its version. */
  String database() {
    try (Connection connection = gateway.owning().getConnection()) {
      return connection.getMetaData().getDatabaseProductName()
          + " "
          + connection.getMetaData().getDatabaseProductVersion();
    } catch (SQLException e) {
      return "unknown";
    }
  }

  /**
   * Deletes the schema, and the rows of the ledger that belong to the probe. Does nothing if there
   * are none.
   */
  void drop() throws SQLException {
    try (Connection connection = gateway.owning().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("drop schema if exists " + schema + " cascade");
      for (String table : LEDGER) {
        try (PreparedStatement delete =
            connection.prepareStatement(
                "delete from forebay." + table + " where substring(service from 1 for ?) = ?")) {
          delete.setInt(1, id.length() + 1);
          delete.setString(2, id + "-");
          delete.executeUpdate();
        }
      }
    } catch (SQLException e) {
      if (!SqlErrors.isMissing(e) && !NOT_THERE.contains(e.getSQLState())) {
        throw e;
      }
    }
  }

  @Override
  public Entry find(String service, String reference) {
    if (!reference.equals(INSERT)) {
      throw new NoSuchElementException("there is only " + INSERT);
    }
    return insert;
  }

  private record Insert(String sql) implements Entry {

    @Override
    public boolean isQuery() {
      return false;
    }

    @Override
    public @Nullable Object[] arguments(@Nullable Object[] values) {
      return values;
    }
  }
}
