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
import java.util.List;
import java.util.Map;
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
    if (isNoAdministrator(user) && ownsNothing(user)) {
      violations.addAll(DatabaseChecks.reached(gateway));
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
    List<String> powers =
        column(
            "select 'DBA' from information_schema.system_users"
                + " where user_name = current_user and admin"
                + " union select role_name from information_schema.applicable_roles"
                + " where role_name = 'SCRIPT_OPS' order by 1");
    if (!powers.isEmpty()) {
      violations.add(
          "user %s has role %s, so a statement may change anything in the database or write files: use"
                  .formatted(user, powers.getFirst())
              + " a separate user without this role");
    }
    return powers.isEmpty();
  }

  private boolean ownsNothing(String user) throws SQLException {
    String owned =
        "select schema_name from information_schema.schemata where schema_name = 'FOREBAY'"
            + " and (schema_owner = current_user or schema_owner in"
            + " (select role_name from information_schema.applicable_roles))";
    boolean owns = !column(owned).isEmpty();
    if (owns) {
      violations.add(
          "user "
              + user
              + " owns schema FOREBAY, or has the role that owns it, so a statement may drop the"
              + " progress of the gateway: use a separate user");
    }
    return !owns;
  }

  /** The tables of schema forebay on which the connection's user has a privilege. */
  static List<String> accessible(Connection connection) throws SQLException {
    return DatabaseChecks.column(
        connection,
        "select distinct lower(table_name) from information_schema.table_privileges"
            + " where table_schema = 'FOREBAY' order by 1");
  }

  private List<String> column(String sql, String... arguments) throws SQLException {
    return DatabaseChecks.column(gateway, sql, arguments);
  }
}
