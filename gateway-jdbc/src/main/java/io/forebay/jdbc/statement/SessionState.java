/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.database.DatabaseChecks;
import io.forebay.database.SharedSessions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGStatement;

/**
 * The initial state of a PostgreSQL session: settings, role, temporary tables, session locks,
 * cursors, channels. Functions that statements call, and triggers, may change all of these for
 * later statements. A commit restores it if such code has run since it was last restored.
 *
 * <p>COMMIT and the restoring statements are sent together, so restoring costs no extra round trip,
 * but about 90 µs of the server's CPU time. Prepared statements stay.
 */
final class SessionState {

  private final String restore;
  private final PreparedStatement commit;
  private final PreparedStatement state;
  private final Connection connection;
  private final int process;
  private String setUp;
  private boolean changed;
  private boolean unknownCodeRan;

  /**
   * @param connection outside a transaction, with manual commit, fully set up
   */
  SessionState(Connection connection) throws SQLException {
    this.connection = connection;
    restore = "reset all; close all; unlisten *; discard temp; " + setUp(connection);
    commit = connection.prepareStatement("COMMIT; " + restore);
    commit.unwrap(PGStatement.class).setPrepareThreshold(1); // parsed once
    state = connection.prepareStatement(states(connection));
    process = SharedSessions.process(connection);
    setUp = state();
    connection.commit();
  }

  /** The id of the process that serves the session. */
  int process() {
    return process;
  }

  /** Called before code runs that may change the state; a rollback does not undo all of it. */
  void runsUnknownCode() {
    unknownCodeRan = true;
  }

  /**
   * Whether statements changed state that later ones would see: a setting, the role, temporary
   * tables. It only detects custom settings that functions name.
   */
  boolean isChanged() throws SQLException {
    changed = !state().equals(setUp);
    return changed;
  }

  private String state() throws SQLException {
    try (ResultSet row = state.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  /**
   * The query that reads the state as one value; reading all settings would take half a
   * millisecond.
   */
  private static String states(Connection connection) throws SQLException {
    List<String> settings =
        DatabaseChecks.column(
            connection,
            "select format('current_setting(%L, true)', name) from ("
                + "select name from pg_settings where context in ('user', 'superuser')"
                + " union select 'role' union select coalesce(m[1], m[2])"
                + " from pg_proc p join pg_language l on l.oid = p.prolang,"
                + " regexp_matches(p.prosrc, 'set_config\\s*\\(\\s*''(\\w+\\.[\\w.]+)''"
                + "|\\mset\\s+(?:local\\s+|session\\s+)?(\\w+\\.[\\w.]+)', 'gi') m"
                + " where l.lanname not in ('internal', 'c')) s order by name");
    return "select md5(array_to_string(array["
        + String.join(", ", settings)
        + "], ',')) || exists (select from pg_depend where refclassid = 'pg_namespace'::regclass"
        + " and refobjid = pg_my_temp_schema())";
  }

  /** Whether the commit must restore the state. */
  boolean mustBeRestored() {
    return unknownCodeRan || changed;
  }

  /** Statements that restore the state, also within a transaction. */
  String restore() {
    return restore;
  }

  /** Statements that set up the session again after a reset of all settings. */
  private static String setUp(Connection connection) throws SQLException {
    List<String> calls = new ArrayList<>();
    calls.add("pg_catalog.pg_advisory_unlock_all()");
    try (Statement statement = connection.createStatement();
        ResultSet settings =
            statement.executeQuery(
                "select format('pg_catalog.set_config(%L, %L, false)', name, setting)"
                    + " from (select name, setting from pg_settings where source = 'session'"
                    + " union all select 'role', current_setting('role')) s")) {
      while (settings.next()) {
        calls.add(settings.getString(1));
      }
    }
    return "select " + String.join(", ", calls);
  }

  /**
   * Commits the open transaction and restores the state, if it must be restored.
   *
   * @throws SQLException if it did not commit, or if the outcome is unknown, as when it committed
   *     and did not restore
   */
  void commit() throws SQLException {
    if (!mustBeRestored()) {
      connection.commit();
      return;
    }
    commit.execute();
    unknownCodeRan = false;
    if (changed) {
      changed = false;
      setUp = state(); // changes if the server has reloaded its configuration
      connection.commit();
    }
  }
}
