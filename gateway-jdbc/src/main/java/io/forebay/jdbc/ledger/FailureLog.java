/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.call.Message;
import io.forebay.database.Dialect;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.operations.failures.Place;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stores the failed statements of a partition unchanged, in the transaction of their batch; so each
 * is stored exactly once, also after a crash.
 *
 * <p>It reads their bytes again from the in-queue, which keeps them at least until they are
 * answered, so a batch without failures has no cost. For one thread.
 */
public final class FailureLog implements AutoCloseable {

  private static final String COLUMNS =
      "insert into forebay.failed_statement (queue_id, partition_id, service, created_at, position,"
          + " message_id, kind, sql_state, detail, payload, replay_key, message, statement_name,"
          + " failed_on)";
  private static final int MAX_ROWS = 500;

  /** Limited, because a transaction waits for it. */
  private static final Duration LONGEST_READ = Duration.ofSeconds(2);

  private static final int MAX_BYTES = 4 << 20;

  /** The lengths of the columns. */
  private static final int LONGEST_NAME = 200;

  private static final int LONGEST_OBJECT = 500;

  private final String service;
  private final StatementTexts texts;
  private final MessageQueue in;
  private final int partition;
  private @Nullable Tailer tailer;

  /**
   * @param texts knows the names of statements
   */
  public FailureLog(String service, StatementTexts texts, MessageQueue in, int partition) {
    this.service = service;
    this.texts = texts;
    this.in = in;
    this.partition = partition;
  }

  private record Row(
      Message message,
      SqlFailure failure,
      @Nullable String statement,
      @Nullable FailedObject on,
      byte[] payload,
      UUID replayKey) {

    String detail() {
      return failure.words(on);
    }

    @Nullable String statementName() {
      return cut(statement, LONGEST_NAME);
    }

    @Nullable String failedOn() {
      return on == null ? null : cut(on.words(), LONGEST_OBJECT);
    }

    private static @Nullable String cut(@Nullable String text, int longest) {
      return text == null || text.length() <= longest ? text : text.substring(0, longest);
    }
  }

  /**
   * @param now when they failed
   * @return the number of statements of the batch that failed now; excludes repeated answers and
   *     reused keys
   */
  public int keep(DatabaseSession session, Batch batch, Instant now) throws SQLException {
    List<PendingStatement> failed = failed(batch);
    if (!failed.isEmpty()) {
      keep(session, failed, now.atOffset(ZoneOffset.UTC));
    }
    return failed.size();
  }

  private static List<PendingStatement> failed(Batch batch) {
    List<PendingStatement> failed = List.of();
    for (int i = 0; i < batch.size(); i++) {
      PendingStatement statement = batch.get(i);
      if (statement.failedNow()) {
        failed = failed.isEmpty() ? new ArrayList<>() : failed;
        failed.add(statement);
      }
    }
    return failed;
  }

  private void keep(DatabaseSession session, List<PendingStatement> failed, OffsetDateTime now)
      throws SQLException {
    List<Row> rows = new ArrayList<>();
    int bytes = 0;
    Tailer messages = tailer();
    messages.seek(message(failed.getFirst()).position());
    long last = -1;
    for (PendingStatement statement : failed) {
      if (message(statement).position() == last) {
        continue; // its message is kept, with the failure of an earlier statement
      }
      last = message(statement).position();
      Row row = row(statement, payload(messages, message(statement).position()));
      rows.add(row);
      bytes += row.payload().length;
      if (rows.size() >= MAX_ROWS || bytes >= MAX_BYTES) {
        insert(session, rows, now);
        rows.clear();
        bytes = 0;
      }
    }
    insert(session, rows, now);
  }

  private Row row(PendingStatement statement, byte[] payload) {
    Message message = message(statement);
    Place place = new Place(service, partition, message.position(), in.identity());
    Outcome.Failed failed = (Outcome.Failed) statement.state();
    return new Row(
        message,
        failed.failure(),
        texts.nameOf(statement.request()),
        failed.on(),
        payload,
        ReplayKey.of(message, place).id());
  }

  /** Reads up to the position. */
  private byte[] payload(Tailer messages, long position) {
    if (messages.position() > position) {
      messages.seek(position); // positions have gaps, and more was read than asked for
    }
    byte[][] payload = new byte[1][];
    MessageHandler look =
        (at, message) -> {
          if (at == position) {
            payload[0] = new byte[message.remaining()];
            message.get(message.position(), payload[0]);
          }
        };
    while (payload[0] == null && messages.position() <= position) {
      int ahead = Math.clamp(position - messages.position() + 1, 1, 1_000);
      if (messages.poll(ahead, look) == 0) {
        messages.pollBefore(position + 1, LONGEST_READ, look);
      }
    }
    if (payload[0] == null) {
      throw new IllegalStateException(
          "the message at %,d in partition %d of queue %s was deleted before it was answered"
              .formatted(position, partition, in.name()));
    }
    return payload[0];
  }

  private Tailer tailer() {
    Tailer current = tailer;
    if (current == null) {
      current = in.tailer(partition);
      tailer = current;
    }
    return current;
  }

  private void insert(DatabaseSession session, List<Row> rows, OffsetDateTime now)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    if (session.dialect() == Dialect.POSTGRESQL) {
      insertArrays(session, rows, now);
    } else {
      insertBatch(session, rows, now);
    }
  }

  private void insertArrays(DatabaseSession session, List<Row> rows, OffsetDateTime now)
      throws SQLException {
    PreparedStatement insert =
        session.prepare(
            COLUMNS
                + " select ?, ?, ?, ?, failed.* from unnest(?::int8[], ?::uuid[], ?::varchar[],"
                + " ?::varchar[], ?::varchar[], ?::bytea[], ?::uuid[], ?::varchar[], ?::varchar[],"
                + " ?::varchar[]) as failed");
    place(insert, now);
    insert.setArray(5, array(session, "int8", rows.stream().map(r -> r.message().position())));
    insert.setArray(6, array(session, "uuid", rows.stream().map(r -> r.message().id())));
    insert.setArray(
        7, array(session, "varchar", rows.stream().map(r -> r.failure().kind().name())));
    insert.setArray(8, array(session, "varchar", rows.stream().map(r -> r.failure().sqlState())));
    insert.setArray(9, array(session, "varchar", rows.stream().map(Row::detail)));
    byte[][] payloads = rows.stream().map(Row::payload).toArray(byte[][]::new);
    insert.setArray(10, session.connection().createArrayOf("bytea", payloads));
    insert.setArray(11, array(session, "uuid", rows.stream().map(Row::replayKey)));
    insert.setArray(12, array(session, "varchar", rows.stream().map(r -> r.failure().message())));
    insert.setArray(13, array(session, "varchar", rows.stream().map(Row::statementName)));
    insert.setArray(14, array(session, "varchar", rows.stream().map(Row::failedOn)));
    insert.executeUpdate();
  }

  private static Array array(DatabaseSession session, String type, Stream<?> values)
      throws SQLException {
    return session.connection().createArrayOf(type, values.toArray());
  }

  private void insertBatch(DatabaseSession session, List<Row> rows, OffsetDateTime now)
      throws SQLException {
    PreparedStatement insert =
        session.prepare(COLUMNS + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    try {
      for (Row row : rows) {
        place(insert, now);
        insert.setLong(5, row.message().position());
        insert.setObject(6, row.message().id());
        insert.setString(7, row.failure().kind().name());
        insert.setString(8, row.failure().sqlState());
        insert.setString(9, row.detail());
        insert.setBytes(10, row.payload());
        insert.setObject(11, row.replayKey());
        insert.setString(12, row.failure().message());
        insert.setString(13, row.statementName());
        insert.setString(14, row.failedOn());
        insert.addBatch();
      }
      insert.executeBatch();
    } catch (SQLException e) {
      insert.clearBatch();
      throw e;
    }
  }

  private void place(PreparedStatement insert, OffsetDateTime now) throws SQLException {
    insert.setString(1, in.identity());
    insert.setInt(2, partition);
    insert.setString(3, service);
    insert.setObject(4, now);
  }

  /**
   * Deletes statements that failed before {@code time}, unless they were replayed, reopened or
   * discarded since, and dead letters replayed with success or discarded before it. What is set
   * aside is kept until it is replayed or discarded.
   */
  public void forget(DatabaseSession session, Instant time) throws SQLException {
    forget(
        session,
        "delete from forebay.failed_statement"
            + " where service = ? and partition_id = ? and created_at < ?"
            + " and coalesce(replayed_at, decided_at, created_at) < ?"
            + " and (decision is null or decision <> 'SET_ASIDE' or replayed_as is not null)",
        time,
        time);
    forget(
        session,
        "delete from forebay.dead_letter where service = ? and partition_id = ?"
            + " and decided_at < ? and decision = 'DISCARDED' and replayed_as is null",
        time);
    forget(
        session,
        "delete from forebay.dead_letter where service = ? and partition_id = ? and replayed_at < ?"
            + " and replay_key in (select message_id from forebay.request where state = 'DONE')",
        time);
  }

  private void forget(DatabaseSession session, String sql, Instant... times) throws SQLException {
    PreparedStatement delete = session.prepare(sql);
    delete.setString(1, service);
    delete.setInt(2, partition);
    for (int i = 0; i < times.length; i++) {
      delete.setObject(3 + i, times[i].atOffset(ZoneOffset.UTC));
    }
    delete.executeUpdate();
  }

  private static Message message(PendingStatement statement) {
    return Objects.requireNonNull(statement.message());
  }

  @Override
  public void close() {
    if (tailer != null) {
      tailer.close();
    }
  }
}
