/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.database.Dialect;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.StreamLine;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.postgresql.PGStatement;

/**
 * Performs each line of a stream once, however often it is sent. A row per stream and partition
 * contains the last line performed, and is read and written in the transaction that performs the
 * lines. For one thread.
 */
public final class Streams {

  private final String service;
  private final int partition;

  /** The streams of the transaction. */
  private final Map<Id, Progress> streams = new LinkedHashMap<>();

  private final Set<PendingStatement> repeatedDeadLetters = new HashSet<>();

  public Streams(String service, int partition) {
    this.service = service;
    this.partition = partition;
  }

  private record Id(String client, String stream) {

    static Id of(PendingStatement statement) {
      String client = Objects.requireNonNull(statement.message).client();
      return new Id(
          Objects.requireNonNull(client), Objects.requireNonNull(statement.line).stream());
    }
  }

  /** How far a stream is. */
  private static final class Progress {
    long line = StreamLine.ANY;
    boolean stored;
    long done;
    long failed;
    long repeated;
  }

  /**
   * Sets the outcomes of lines that were performed before, and of those whose previous line is
   * missing; they are not performed.
   */
  public void recognise(DatabaseSession session, List<PendingStatement> lines) throws SQLException {
    streams.clear();
    repeatedDeadLetters.clear();
    lines.forEach(statement -> streams.putIfAbsent(Id.of(statement), new Progress()));
    read(session);
    for (PendingStatement statement : lines) {
      Progress progress = progress(statement);
      StreamLine line = Objects.requireNonNull(statement.line);
      boolean isRepeated = line.number() <= progress.line;
      boolean isFirst = !isRepeated && line.previous() <= progress.line;
      if (isFirst) {
        progress.line = line.number();
      } else if (statement.kind == PendingStatement.Kind.DEAD_LETTER) {
        repeatedDeadLetters.add(statement);
      } else if (isRepeated) {
        progress.repeated++;
        answer(
            statement,
            failure(
                SqlFailure.Kind.REPEATED,
                "this line of the stream or a later one was performed before; it was not performed again"));
      } else {
        answer(
            statement,
            failure(
                SqlFailure.Kind.LINE_MISSING,
                "line %,d of the stream was not performed, so this one was not performed either; send both again"
                    .formatted(line.previous())));
      }
    }
  }

  private Progress progress(PendingStatement statement) {
    return Objects.requireNonNull(streams.get(Id.of(statement)));
  }

  private static SqlFailure failure(SqlFailure.Kind kind, String message) {
    return new SqlFailure("22000", 0, kind, message);
  }

  private static void answer(PendingStatement statement, SqlFailure failure) {
    statement.fail(failure);
    statement.known = true;
  }

  private void read(DatabaseSession session) throws SQLException {
    boolean postgres = session.dialect() == Dialect.POSTGRESQL;
    PreparedStatement select =
        session.prepare(
            "select client, stream, line from forebay.stream"
                + " where service = ? and partition_id = ? and stream "
                + (postgres ? "= any (?)" : "in (unnest(?))"));
    if (postgres) {
      // A plan cached while the table was empty would scan the whole table for each batch.
      select.unwrap(PGStatement.class).setPrepareThreshold(0);
    }
    String[] names = streams.keySet().stream().map(Id::stream).distinct().toArray(String[]::new);
    select.setString(1, service);
    select.setInt(2, partition);
    select.setArray(3, session.connection().createArrayOf("varchar", names));
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        Progress progress = streams.get(new Id(rows.getString(1), rows.getString(2)));
        if (progress != null) {
          progress.line = rows.getLong(3);
          progress.stored = true;
        }
      }
    }
  }

  /** Stores how far the streams are, as of {@code now}. */
  public void remember(DatabaseSession session, List<PendingStatement> lines, Instant now)
      throws SQLException {
    for (PendingStatement statement : lines) {
      if (statement.performedNow() && !repeatedDeadLetters.contains(statement)) {
        Progress progress = progress(statement);
        if (statement.outcome instanceof Outcome.Failed) {
          progress.failed++;
        } else {
          progress.done++;
        }
      }
    }
    write(
        session,
        true,
        "update forebay.stream set line = ?, done = done + ?, failed = failed + ?,"
            + " repeated = repeated + ?, updated_at = ? where client = ? and stream = ? and service = ? and partition_id = ?",
        now);
    write(
        session,
        false,
        "insert into forebay.stream"
            + " (line, done, failed, repeated, updated_at, client, stream, service, partition_id)"
            + " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        now);
  }

  private void write(DatabaseSession session, boolean stored, String sql, Instant now)
      throws SQLException {
    PreparedStatement statement = null;
    for (Map.Entry<Id, Progress> stream : streams.entrySet()) {
      Progress progress = stream.getValue();
      if (progress.stored != stored || progress.done + progress.failed + progress.repeated == 0) {
        continue;
      }
      statement = statement == null ? session.prepare(sql) : statement;
      statement.setLong(1, progress.line);
      statement.setLong(2, progress.done);
      statement.setLong(3, progress.failed);
      statement.setLong(4, progress.repeated);
      statement.setObject(5, now.atOffset(ZoneOffset.UTC));
      statement.setString(6, stream.getKey().client());
      statement.setString(7, stream.getKey().stream());
      statement.setString(8, service);
      statement.setInt(9, partition);
      statement.addBatch();
    }
    if (statement != null) {
      execute(statement);
    }
  }

  private static void execute(PreparedStatement statement) throws SQLException {
    try {
      statement.executeBatch();
    } catch (SQLException e) {
      statement.clearBatch();
      throw e;
    }
  }

  /** Deletes the streams that had no line since {@code time}. */
  public void forget(DatabaseSession session, Instant time) throws SQLException {
    PreparedStatement delete =
        session.prepare(
            "delete from forebay.stream"
                + " where updated_at < ? and service = ? and partition_id = ?");
    delete.setObject(1, time.atOffset(ZoneOffset.UTC));
    delete.setString(2, service);
    delete.setInt(3, partition);
    delete.executeUpdate();
  }
}
