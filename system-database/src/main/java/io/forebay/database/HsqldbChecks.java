/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.queue.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/** Checks an HSQLDB database and the rights of the gateway's user. */
final class HsqldbChecks {

  private final Connection gateway;
  private final DataSource owner;
  private final Level level;
  private final List<String> violations = new ArrayList<>();

  HsqldbChecks(Connection gateway, DataSource owner, Level level) {
    this.gateway = gateway;
    this.owner = owner;
    this.level = level;
  }

  List<String> violations() throws SQLException {
    String user = gateway.getMetaData().getUserName();
    keepsWhatItCommits();
    if (isNoAdministrator(user)) {
      mayNotWriteFiles(user);
      int others = violations.size();
      ownsNothing(user);
      if (violations.size() == others) {
        reachesNoToken(user);
      }
      mayUseTheLedger(user);
    }
    return violations;
  }

  private void keepsWhatItCommits() throws SQLException {
    Map<String, String> properties = properties(owner);
    if (isInMemory(gateway, properties)) {
      if (level != Level.MEMORY) {
        violations.add(
            "the database is in memory, but the queue is not (level "
                + level
                + "), so a restart would perform all statements again: use a database in files"
                + " (jdbc:hsqldb:file:), or a queue in memory");
      }
      return;
    }
    if (!"false".equals(properties.get("hsqldb.write_delay"))) {
      violations.add(
          "commits are written up to "
              + properties.get("hsqldb.write_delay_millis")
              + " ms after they were confirmed, so a kill loses them: perform SET FILES WRITE DELAY"
              + " FALSE as the owner (hsqldb.write_delay=false in the URL works only when the"
              + " database is created)");
    }
    if (!"true".equals(properties.get("hsqldb.log_data"))) {
      violations.add(
          "changes are not logged, so a kill loses all changes since the last checkpoint: perform"
              + " SET FILES LOG TRUE as the owner");
    }
  }

  /**
   * Reads the database's properties, which HSQLDB shows to administrators only.
   *
   * @throws UnsafeDatabase if this user is not an administrator
   */
  static Map<String, String> properties(DataSource owner) throws SQLException {
    Map<String, String> properties = new HashMap<>();
    try (Connection connection = owner.getConnection();
        PreparedStatement query =
            connection.prepareStatement(
                "select property_name, property_value from information_schema.system_properties");
        ResultSet rows = query.executeQuery()) {
      while (rows.next()) {
        properties.put(rows.getString(1), rows.getString(2));
      }
    }
    if (!properties.containsKey("hsqldb.write_delay")) {
      throw new UnsafeDatabase(
          "the owner's user is not an administrator of the database, so its durability settings"
              + " cannot be read: use SA, or grant that user DBA");
    }
    return properties;
  }

  /**
   * The URL of a server does not show it, but only a database in files has a folder for temporary
   * files.
   */
  static boolean isInMemory(Connection connection, Map<String, String> properties)
      throws SQLException {
    String url = connection.getMetaData().getURL();
    return url.startsWith("jdbc:hsqldb:mem:")
        || (!url.startsWith("jdbc:hsqldb:file:")
            && properties.get("hsqldb.temp_directory") == null);
  }

  private boolean isNoAdministrator(String user) throws SQLException {
    boolean administrator =
        !column(
                "select user_name from information_schema.system_users"
                    + " where user_name = current_user and admin")
            .isEmpty();
    if (administrator) {
      violations.add(
          "user "
              + user
              + " has role DBA, so a statement may change anything in the database and write files:"
              + " use a separate user without DBA");
    }
    return !administrator;
  }

  private void mayNotWriteFiles(String user) throws SQLException {
    String writes =
        "select role_name from information_schema.applicable_roles where role_name = 'SCRIPT_OPS'";
    if (!column(writes).isEmpty()) {
      violations.add(
          "user "
              + user
              + " has role SCRIPT_OPS, so a statement may write files: revoke SCRIPT_OPS from "
              + user);
    }
  }

  private void ownsNothing(String user) throws SQLException {
    String owned =
        "select schema_name from information_schema.schemata where schema_owner = current_user"
            + " or schema_owner in (select role_name from information_schema.applicable_roles)"
            + " order by 1";
    for (String schema : column(owned)) {
      violations.add(
          "user "
              + user
              + " owns schema "
              + schema
              + ", or has the role that owns it, so a statement may drop its tables: create the"
              + " schema under another user, and grant "
              + user
              + " what it needs");
    }
  }

  private void mayUseTheLedger(String user) throws SQLException {
    for (TableRights.Right right : TableRights.GATEWAY.rights()) {
      Set<String> granted = privileges(right.table());
      List<String> missing = right.privileges().stream().filter(p -> !granted.contains(p)).toList();
      if (!missing.isEmpty()) {
        violations.add(Migrations.lacks(user, missing, right.table()));
      }
    }
  }

  private void reachesNoToken(String user) throws SQLException {
    for (String table : reached(gateway, TableRights.NOT_FOR_STATEMENTS)) {
      violations.add(Migrations.reaches(user, table));
    }
  }

  /** The tables of schema forebay on which the connection's user has a privilege. */
  static List<String> reached(Connection connection, List<String> tables) throws SQLException {
    List<String> found = new ArrayList<>();
    for (String table : tables) {
      if (!privileges(connection, table).isEmpty()) {
        found.add(table);
      }
    }
    return found;
  }

  private Set<String> privileges(String table) throws SQLException {
    return privileges(gateway, table);
  }

  private static Set<String> privileges(Connection connection, String table) throws SQLException {
    return new HashSet<>(
        DatabaseChecks.column(
            connection,
            "select privilege_type from information_schema.table_privileges"
                + " where table_schema = 'FOREBAY' and table_name = upper(?)",
            table));
  }

  private List<String> column(String sql, String... arguments) throws SQLException {
    return DatabaseChecks.column(gateway, sql, arguments);
  }
}
