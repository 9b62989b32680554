/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.Dialect;
import io.forebay.database.TestPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The databases judge the scanner: random texts of quotes, comments and the like hide a statement
 * or do not, and whatever the database performed must have been seen.
 */
class SqlScannerOracleTest {

  private static final int TEXTS = Integer.getInteger("forebay.test.texts", 5_000);
  private static final long SEED = Long.getLong("forebay.test.seed", 20_261_120);

  /** Each may begin, end or be in a literal, a name or a comment. */
  private static final List<String> PIECES =
      List.of(
          "'", "'", "''", "\"", "$$", "$a$", "$1", "a$$", " E'", " e'", "\\", "\\'", "--", "\n",
          "\r", "/*", "*/", "/", "*", "1", " x", ", ", " ", "U&'", "||", "E", "$", "\u00a0", "?");

  @Test
  void onPostgresqlNothingIsPerformedUnseen() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared();
        Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table seen (a int)");
      // The text is an argument: the server reads it, and no driver before.
      statement.execute(
          "create function perform(text) returns text language plpgsql as $$ begin execute $1;"
              + " return null; exception when others then return sqlstate; end $$");
      connection.setAutoCommit(false);
      try (PreparedStatement perform = connection.prepareStatement("select perform(?)")) {
        judge(
            Dialect.POSTGRESQL,
            connection,
            text -> {
              perform.setString(1, text);
              try (ResultSet result = perform.executeQuery()) {
                result.next();
                return result.getString(1) == null;
              }
            });
      }
    }
  }

  @Test
  void onHsqldbNothingIsPerformedUnseen() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:hsqldb:mem:oracle", "SA", "");
        Statement statement = connection.createStatement()) {
      statement.execute("create table seen (a int)");
      connection.setAutoCommit(false);
      judge(
          Dialect.HSQLDB,
          connection,
          text -> {
            try {
              statement.execute(text);
              return true;
            } catch (SQLException e) {
              return false;
            }
          });
      statement.execute("shutdown");
    }
  }

  private interface Database {
    /** Whether it took the text. */
    boolean perform(String text) throws SQLException;
  }

  private static void judge(Dialect dialect, Connection connection, Database database)
      throws SQLException {
    Random random = new Random(SEED);
    int hidden = 0;
    int performed = 0;
    for (int i = 0; i < TEXTS; i++) {
      String text = text(dialect, random);
      boolean taken = database.perform(text);
      boolean inserted = inserted(connection);
      connection.rollback();
      SqlText seen = new SqlText(text, dialect);
      if (inserted) {
        assertThat(seen.isSeveral())
            .as("text %s of seed %s performs its second statement: %s", i, SEED, text)
            .isTrue();
        performed++;
      } else if (taken) {
        assertThat(seen.refusal())
            .as("text %s of seed %s is one statement: %s", i, SEED, text)
            .isNull();
        hidden++;
      }
    }
    // Otherwise the texts would prove nothing.
    assertThat(performed).isGreaterThan(TEXTS / 100);
    assertThat(hidden).isGreaterThan(TEXTS / 100);
  }

  private static String text(Dialect dialect, Random random) {
    StringBuilder text = new StringBuilder(dialect == Dialect.HSQLDB ? "values 1" : "select 1");
    pieces(text, random);
    text.append("; insert into seen values (1)");
    pieces(text, random);
    return text.toString();
  }

  private static void pieces(StringBuilder text, Random random) {
    for (int i = random.nextInt(7); i > 0; i--) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
  }

  private static boolean inserted(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery("select count(*) from seen")) {
      count.next();
      return count.getInt(1) > 0;
    }
  }
}
