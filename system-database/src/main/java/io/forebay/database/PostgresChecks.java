/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Checks a PostgreSQL server and the rights of the gateway's role. */
final class PostgresChecks {

  private final Connection connection;
  private final List<String> violations = new ArrayList<>();

  PostgresChecks(Connection connection) {
    this.connection = connection;
  }

  List<String> violations() throws SQLException {
    String role = connection.getMetaData().getUserName();
    keepsWhatItCommits();
    if (isNoSuperuser(role) && ownsNothing(role)) {
      violations.addAll(DatabaseChecks.reached(connection));
    }
    return violations;
  }

  /**
   * Keys, reasons and names of callers may have any character.
   *
   * @throws UnsafeDatabase if the database has no UTF-8
   */
  static void storesEveryText(Connection connection) throws SQLException {
    String encoding =
        DatabaseChecks.column(connection, "select current_setting('server_encoding')").getFirst();
    if (!encoding.equals("UTF8")) {
      throw new UnsafeDatabase(
          "the database has encoding "
              + encoding
              + ", which cannot store every text: create it with encoding 'UTF8' template template0");
    }
  }

  private void keepsWhatItCommits() throws SQLException {
    for (String setting : List.of("fsync", "full_page_writes")) {
      for (String value : column("select current_setting(?)", setting)) {
        if (!value.equals("on")) {
          violations.add(
              setting
                  + " is "
                  + value
                  + ", so a loss of power can destroy the database: set "
                  + setting
                  + " = on in postgresql.conf and reload the server");
        }
      }
    }
  }

  private boolean isNoSuperuser(String role) throws SQLException {
    List<String> powers =
        column(
            // before version 16, a role with CREATEROLE can make itself a member of any other
            "select case when rolsuper then 'superuser' when rolcreaterole then 'CREATEROLE'"
                + " else rolname end from pg_roles"
                + " where rolname in (current_user, session_user) and (rolsuper or rolcreaterole"
                + " and current_setting('server_version_num')::int < 160000)"
                + " or rolname in ('pg_execute_server_program', 'pg_read_server_files',"
                + " 'pg_write_server_files') and pg_has_role(current_user, oid, 'MEMBER')"
                + " order by rolsuper desc, 1");
    if (!powers.isEmpty()) {
      violations.add(
          "role %s is a superuser or may act on the host of the server (%s), so a statement may change"
                  .formatted(role, powers.getFirst())
              + " anything there: use a separate role, as in docs/start.md");
    }
    return powers.isEmpty();
  }

  private boolean ownsNothing(String role) throws SQLException {
    String owned =
        "select 1 from pg_namespace n where nspname = 'forebay' and (pg_has_role(current_user,"
            + " nspowner, 'MEMBER') or exists (select 1 from pg_class where relnamespace = n.oid"
            + " and pg_has_role(current_user, relowner, 'MEMBER')))";
    boolean owns = !column(owned).isEmpty();
    if (owns) {
      violations.add(
          "role "
              + role
              + " owns, or is a member of the owner of, schema forebay or one of its tables, so a"
              + " statement may drop the progress of the gateway: use a separate role, as in"
              + " docs/start.md");
    }
    return !owns;
  }

  /** The tables of schema forebay on which the connection's role has a privilege. */
  static List<String> accessible(Connection connection) throws SQLException {
    return DatabaseChecks.column(
        connection,
        "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where"
            + " n.nspname = 'forebay' and c.relkind = 'r' and has_schema_privilege(n.oid, 'USAGE')"
            + " and has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')"
            + " order by 1");
  }

  private List<String> column(String sql, String... arguments) throws SQLException {
    return DatabaseChecks.column(connection, sql, arguments);
  }
}
