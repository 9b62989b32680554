/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.Dialect;
import io.forebay.database.SqlErrors;
import io.forebay.jdbc.Limits;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.service.progress.Unavailable;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a query, however many they are: in parts, in a read-only transaction on a
 * connection of its own. Thread-safe.
 */
public final class RowReader {

  /** About this much of a result is in memory, but at least one row. */
  private static final int PART_BYTES = 256 << 10;

  /** So that a part is not much too large if rows suddenly become larger. */
  private static final int MOST_ROWS = 256;

  /** Longer than a server waits for a client that does not read. */
  private static final String LONGEST_PAUSE = "set idle_in_transaction_session_timeout = '60s'";

  private final DataSource dataSource;
  private final Limits limits;

  public RowReader(DataSource dataSource, Limits limits) {
    this.dataSource = dataSource;
    this.limits = limits;
  }

  /** Receives the rows. While it waits, the database does. */
  public interface Receiver {

    void columns(List<String> names) throws IOException;

    /**
     * @param values as in {@link io.forebay.jdbc.Rows#values()}
     */
    void row(List<@Nullable Object> values) throws IOException;

    /** The next row may take a while. */
    void pause() throws IOException;
  }

  /**
   * @throws SqlFailed if the database refuses the query, for example because it changes something
   * @throws Unavailable if the database does not respond
   */
  public void read(String sql, List<? extends @Nullable Object> args, Receiver to)
      throws IOException {
    try (DatabaseSession session = DatabaseSession.open(dataSource, limits)) {
      boolean postgres = session.dialect() == Dialect.POSTGRESQL;
      session.execute(
          postgres ? LONGEST_PAUSE + "; set transaction read only" : "set transaction read only");
      PreparedStatement query = session.prepare(sql);
      for (int i = 0; i < args.size(); i++) {
        Arguments.bind(query, i + 1, args.get(i), session.connection(), session.dialect());
      }
      query.setFetchSize(ResultReader.FIRST_ROWS);
      try (ResultSet rows = query.executeQuery()) {
        read(rows, session.dialect(), to);
      }
    } catch (SQLException e) {
      if (SqlErrors.of(e) == SqlErrors.STATEMENT || SqlErrors.READ_ONLY.equals(e.getSQLState())) {
        throw new SqlFailed(SqlFailure.of(e));
      }
      throw new Unavailable(SqlErrors.told(e), e);
    }
  }

  private static void read(ResultSet rows, Dialect dialect, Receiver to)
      throws SQLException, IOException {
    List<String> columns = ResultReader.columns(rows);
    to.columns(columns);
    ColumnReader[] readers = ColumnReader.of(rows, dialect);
    int part = ResultReader.FIRST_ROWS;
    int read = 0;
    long bytes = 0;
    while (rows.next()) {
      @Nullable Object[] row = new Object[readers.length];
      for (int i = 0; i < row.length; i++) {
        row[i] = readers[i].readNullable(rows, i + 1);
        bytes += ResultReader.size(row[i]);
      }
      to.row(Arrays.asList(row));
      if (++read == part) {
        part = Math.clamp(PART_BYTES * (long) read / Math.max(1, bytes), 1, MOST_ROWS);
        rows.setFetchSize(part);
        read = 0;
        bytes = 0;
        to.pause();
      }
    }
  }
}
