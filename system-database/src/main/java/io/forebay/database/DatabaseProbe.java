/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.SelfCheck.Harm;
import io.forebay.operations.SelfCheck.Result;
import io.forebay.operations.SelfCheck.State;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Queries one database for the self-test.
 *
 * @param user connects as the role that uses the database
 * @param owner connects as an administrator; HSQLDB shows its settings to no other user
 * @param performs whether sessions are prepared like those that perform statements
 */
public record DatabaseProbe(DataSource user, DataSource owner, boolean performs) {

  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final int ROUND_TRIPS = 5;

  /**
   * The state of the database.
   *
   * @param product the name with the version
   * @param roundTrip the median of a few round trips
   * @param commits whether commits are durable
   * @param encryption empty if it is not reached over a network
   */
  record Answer(
      String product,
      Duration roundTrip,
      Commits commits,
      Optional<PostgresEncryption> encryption) {}

  /**
   * @param change what to change; null if nothing is wrong
   */
  record Commits(State state, String text, @Nullable String change) {

    Result named(String check) {
      return new Result(check, state, text, change == null ? null : Harm.LOSS, change);
    }
  }

  /**
   * @throws SQLException if the database does not respond
   * @throws UnsafeDatabase if the database is of an unsupported kind
   */
  Answer ask() throws SQLException {
    try (Connection connection = user.getConnection()) {
      Dialect dialect = Dialect.of(connection);
      if (performs) {
        Sessions.prepare(connection, ANSWER, ANSWER);
      }
      connection.setAutoCommit(true);
      DatabaseMetaData database = connection.getMetaData();
      String product =
          database.getDatabaseProductName() + " " + database.getDatabaseProductVersion();
      Duration roundTrip = roundTrip(connection);
      return switch (dialect) {
        case POSTGRESQL ->
            new Answer(
                product, roundTrip, postgres(connection), PostgresEncryption.of(database.getURL()));
        case HSQLDB -> new Answer(product, roundTrip, hsqldb(connection), Optional.empty());
      };
    }
  }

  private static Duration roundTrip(Connection connection) throws SQLException {
    long[] nanos = new long[ROUND_TRIPS];
    try (PreparedStatement one = connection.prepareStatement("values (1)")) {
      one.execute();
      for (int i = 0; i < ROUND_TRIPS; i++) {
        long from = System.nanoTime();
        one.execute();
        nanos[i] = System.nanoTime() - from;
      }
    }
    Arrays.sort(nanos);
    return Duration.ofNanos(nanos[ROUND_TRIPS / 2]);
  }

  private static Commits postgres(Connection connection) throws SQLException {
    String fsync = setting(connection, "fsync");
    String commit = setting(connection, "synchronous_commit");
    String text = "fsync is %s, synchronous_commit is %s".formatted(fsync, commit);
    if (!fsync.equals("on")) {
      return new Commits(
          State.FAILED,
          text + ": a loss of power can destroy the database",
          "Set fsync = on in postgresql.conf, and reload the server.");
    }
    return commit.equals("off")
        ? new Commits(
            State.WARN,
            text + ": a crash of the server loses the last commits",
            "alter role … set synchronous_commit = on, for the role of this login.")
        : new Commits(State.OK, text, null);
  }

  private static String setting(Connection connection, String name) throws SQLException {
    return DatabaseChecks.column(connection, "select current_setting(?)", name).getFirst();
  }

  private Commits hsqldb(Connection connection) throws SQLException {
    Map<String, String> properties;
    try {
      properties = HsqldbChecks.properties(owner);
    } catch (UnsafeDatabase e) {
      return new Commits(State.UNKNOWN, String.join("; ", e.violations()), null);
    }
    if (HsqldbChecks.isInMemory(connection, properties)) {
      return new Commits(
          State.WARN,
          "the database is in memory: its data is lost when the process ends",
          "Use a database in files (jdbc:hsqldb:file:…) or on a server.");
    }
    return "false".equals(properties.get("hsqldb.write_delay"))
        ? new Commits(State.OK, "write delay is off: a commit is on disk when it returns", null)
        : new Commits(
            State.FAILED,
            "write delay is on: a kill loses the last commits",
            "Perform SET FILES WRITE DELAY FALSE as the owner.");
  }
}
