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

  private static final int TABLES_SHOWN = 3;

  private final Connection connection;
  private final List<String> violations = new ArrayList<>();

  PostgresChecks(Connection connection) {
    this.connection = connection;
  }

  List<String> violations() throws SQLException {
    String role = connection.getMetaData().getUserName();
    keepsWhatItCommits();
    if (isNoAdministrator(role)) {
      mayNotTouchTheHost(role);
      int others = violations.size();
      ownsNothing(role);
      if (violations.size() == others) {
        reachesNoToken(role);
      }
      mayUseTheLedger(role);
    }
    return violations;
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

  /** A superuser has every right, so its rights are not listed one by one. */
  private boolean isNoAdministrator(String role) throws SQLException {
    String which = " from pg_roles where rolname in (current_user, session_user) and ";
    boolean superuser = !column("select rolname" + which + "rolsuper").isEmpty();
    if (superuser) {
      violations.add(
          "role "
              + role
              + " is a superuser, so a statement may change anything in the database and on its"
              + " host: use a separate role, as in docs/postgresql.md");
    } else if (!column("select rolname" + which + "rolcreaterole").isEmpty()) {
      violations.add(
          "role "
              + role
              + " may create roles and, before PostgreSQL 16, grant itself almost any right: alter"
              + " role "
              + role
              + " nocreaterole");
    }
    return !superuser;
  }

  private void mayNotTouchTheHost(String role) throws SQLException {
    String member =
        "select rolname from pg_roles where rolname in ('pg_execute_server_program',"
            + " 'pg_read_server_files', 'pg_write_server_files')"
            + " and pg_has_role(current_user, oid, 'MEMBER') order by 1";
    for (String granted : column(member)) {
      violations.add(
          "role "
              + role
              + " is a member of "
              + granted
              + ", so a statement may access files or run programs on the server: revoke "
              + granted
              + " from "
              + role);
    }
  }

  private void ownsNothing(String role) throws SQLException {
    List<String> tables =
        column(
            "select n.nspname || '.' || c.relname"
                + " from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                + " where c.relkind in ('r', 'p', 'f', 'm') and n.nspname not like 'pg\\_temp\\_%'"
                + " and pg_has_role(current_user, c.relowner, 'MEMBER') order by 1");
    if (!tables.isEmpty()) {
      String some = String.join(", ", tables.subList(0, Math.min(TABLES_SHOWN, tables.size())));
      violations.add(
          "role "
              + role
              + " owns, or is a member of the owner of, "
              + tables.size()
              + " tables ("
              + some
              + (tables.size() > TABLES_SHOWN ? ", …" : "")
              + "), so a statement may drop them: give them to another role (alter table … owner to"
              + " …) and grant "
              + role
              + " what it needs");
    }
    String schema =
        "select nspname from pg_namespace where nspname = 'forebay'"
            + " and pg_has_role(current_user, nspowner, 'MEMBER')";
    if (!column(schema).isEmpty()) {
      violations.add(
          "role "
              + role
              + " owns schema forebay, so a statement may drop the gateway's progress table: alter"
              + " schema forebay owner to another role");
    }
  }

  private void mayUseTheLedger(String role) throws SQLException {
    String missing =
        "select p.name from unnest(string_to_array(?, ' ')) with ordinality p(name, i)"
            + " where not exists (select 1 from pg_class c join pg_namespace n on n.oid ="
            + " c.relnamespace where n.nspname = 'forebay' and c.relname = ?"
            + " and has_schema_privilege(n.oid, 'USAGE') and has_table_privilege(c.oid, p.name))"
            + " order by p.i";
    for (TableRights.Right right : TableRights.GATEWAY.rights()) {
      List<String> privileges =
          column(missing, String.join(" ", right.privileges()), right.table());
      if (!privileges.isEmpty()) {
        violations.add(Migrations.lacks(role, privileges, right.table()));
      }
    }
  }

  private void reachesNoToken(String role) throws SQLException {
    for (String table : reached(connection, TableRights.NOT_FOR_STATEMENTS)) {
      violations.add(Migrations.reaches(role, table));
    }
  }

  /** The tables of schema forebay on which the connection's role has a privilege. */
  static List<String> reached(Connection connection, List<String> tables) throws SQLException {
    String reached =
        "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where"
            + " n.nspname = 'forebay' and c.relname = ? and has_schema_privilege(n.oid, 'USAGE')"
            + " and has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')";
    List<String> found = new ArrayList<>();
    for (String table : tables) {
      found.addAll(DatabaseChecks.column(connection, reached, table));
    }
    return found;
  }

  private List<String> column(String sql, String... arguments) throws SQLException {
    return DatabaseChecks.column(connection, sql, arguments);
  }
}
