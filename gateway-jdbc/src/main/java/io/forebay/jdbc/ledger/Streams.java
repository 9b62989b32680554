/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.database.Dialect;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.ledger.RowInsert.Column;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.Request;
import io.forebay.jdbc.statement.StreamLine;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Performs each line of a stream once, however often it is sent. A row per stream and partition
 * contains the last line performed; the transaction that performs lines replaces it. No row is
 * updated, and the newest one is found from the upper end of the index, for the reason that {@link
 * Ledger} names. For one thread.
 */
public final class Streams {

  private static final String KEY = " service = ? and partition_id = ? and stream ";

  /** Of PostgreSQL: reads the newest rows and deletes them, in one round trip. */
  private static final String TAKE =
      "delete from forebay.stream s using (select n.* from (values (?, ?::int)) p (service, id),"
          + " unnest(?::varchar[], ?::varchar[]) k (stream, client),"
          + " lateral (select * from forebay.stream where stream = k.stream and client = k.client"
          + " and service = p.service and partition_id = p.id order by line desc limit 1) n) n"
          + " where s.stream = n.stream and s.client = n.client and s.service = n.service"
          + " and s.partition_id = n.partition_id and s.line = n.line"
          + " returning s.client, s.stream, s.line, s.done, s.failed, s.repeated";

  private static final String SELECT =
      "select client, stream, line, done, failed, repeated from forebay.stream where"
          + KEY
          + "in (unnest(?))";

  private static final String DELETE =
      "delete from forebay.stream where" + KEY + "= ? and client = ?";

  private static final RowInsert INSERT =
      new RowInsert(
          "forebay.stream",
          List.of("service", "partition_id", "updated_at"),
          new Column("stream", String.class),
          new Column("client", String.class),
          new Column("line", Long.class),
          new Column("done", Long.class),
          new Column("failed", Long.class),
          new Column("repeated", Long.class));

  private final String service;
  private final int partition;

  /** The statements of the transaction that are lines, and their streams. */
  private List<PendingStatement> lines = List.of();

  private final Map<Id, Progress> streams = new LinkedHashMap<>();

  public Streams(String service, int partition) {
    this.service = service;
    this.partition = partition;
  }

  private record Id(String client, String stream) {

    static Id of(PendingStatement statement) {
      String client = Objects.requireNonNull(statement.message()).client();
      return new Id(Objects.requireNonNull(client), line(statement).stream());
    }
  }

  /** How far a stream is. */
  private static final class Progress {
    long line = StreamLine.ANY;
    long done;
    long failed;
    long repeated;
  }

  /**
   * Sets the outcomes of lines that were performed before, and of those whose previous line is
   * missing; they are not performed.
   */
  public void recognise(DatabaseSession session, Batch batch) throws SQLException {
    lines = batch.keyed(StreamLine.class);
    streams.clear();
    lines.forEach(statement -> streams.putIfAbsent(Id.of(statement), new Progress()));
    if (!lines.isEmpty()) {
      read(session);
    }
    for (PendingStatement statement : lines) {
      Progress progress = progress(statement);
      StreamLine line = line(statement);
      boolean isRepeated = line.number() <= progress.line;
      boolean isFirst = !isRepeated && line.previous() <= progress.line;
      if (isFirst) {
        progress.line = line.number();
      } else if (statement.request() instanceof Request.Undecodable) {
        statement.answerKnown(Objects.requireNonNull(statement.outcome()));
      } else if (isRepeated) {
        progress.repeated++;
        fail(
            statement,
            SqlFailure.Kind.REPEATED,
            "this line of the stream or a later one was performed before; it was not performed again");
      } else {
        fail(
            statement,
            SqlFailure.Kind.LINE_MISSING,
            "line %,d of the stream was not performed, so this one was not performed either; send both again"
                .formatted(line.previous()));
      }
    }
  }

  private static StreamLine line(PendingStatement statement) {
    return (StreamLine) Objects.requireNonNull(statement.key());
  }

  private Progress progress(PendingStatement statement) {
    return Objects.requireNonNull(streams.get(Id.of(statement)));
  }

  private static void fail(PendingStatement statement, SqlFailure.Kind kind, String message) {
    statement.failKnown(new SqlFailure("22000", 0, kind, message));
  }

  /** Takes the rows out of the table; {@link #remember} writes others. */
  private void read(DatabaseSession session) throws SQLException {
    boolean postgres = session.dialect() == Dialect.POSTGRESQL;
    Array names = array(session, Id::stream);
    session.planEachTime(TAKE);
    try (ResultSet rows =
        postgres
            ? session.query(TAKE, service, partition, names, array(session, Id::client))
            : session.query(SELECT, service, partition, names)) {
      while (rows.next()) {
        Progress progress = streams.get(new Id(rows.getString(1), rows.getString(2)));
        if (progress != null) {
          progress.line = rows.getLong(3);
          progress.done = rows.getLong(4);
          progress.failed = rows.getLong(5);
          progress.repeated = rows.getLong(6);
        }
      }
    }
    if (!postgres) {
      for (Id id : streams.keySet()) {
        session.update(DELETE, service, partition, id.stream(), id.client());
      }
    }
  }

  private Array array(DatabaseSession session, Function<Id, String> of) throws SQLException {
    Object[] names = streams.keySet().stream().map(of).toArray();
    return session.connection().createArrayOf("varchar", names);
  }

  /** Stores how far the streams of {@link #recognise} are, as of {@code now}. */
  public void remember(DatabaseSession session, Instant now) throws SQLException {
    for (PendingStatement statement : lines) {
      if (statement.state() instanceof Outcome) {
        Progress progress = progress(statement);
        if (statement.state() instanceof Outcome.Failed) {
          progress.failed++;
        } else {
          progress.done++;
        }
      }
    }
    List<@Nullable Object[]> rows = new ArrayList<>();
    streams.forEach((id, progress) -> {
      if (progress.done + progress.failed + progress.repeated > 0) {
        rows.add(
            new @Nullable Object[] {
              id.stream(),
              id.client(),
              progress.line,
              progress.done,
              progress.failed,
              progress.repeated
            });
      }
    });
    INSERT.insert(session, List.of(service, partition, now.atOffset(ZoneOffset.UTC)), rows);
  }

  /** Deletes the streams that had no line since {@code time}. */
  public void forget(DatabaseSession session, Instant time) throws SQLException {
    session.update(
        "delete from forebay.stream where updated_at < ? and service = ? and partition_id = ?",
        time.atOffset(ZoneOffset.UTC),
        service,
        partition);
  }
}
