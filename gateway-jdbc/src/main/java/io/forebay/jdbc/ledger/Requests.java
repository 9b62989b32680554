/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.call.Message;
import io.forebay.database.Dialect;
import io.forebay.database.SqlErrors;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GeneratedKey;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * Statements with an idempotency key: each key takes effect once, however often its statement is
 * sent. Keys are read and written in the transaction that performs the statements.
 */
public final class Requests {

  private static final String INSERT =
      "insert into forebay.request (client, idem_key, request_hash, message_id, service,"
          + " partition_id, position, state, result, created_at)";

  static final SqlFailure CANCELLED =
      new SqlFailure(
          "HY008", 0, SqlFailure.Kind.CANCELLED, "its sender cancelled it; nothing was performed");

  /** The hash of a cancelled request: it stands for every request with its key. */
  private static final byte[] ANY_REQUEST = new byte[32];

  /**
   * Begins the name by which {@code forebay.cancelled_stream} has a cancelled statement with a
   * {@link GeneratedKey}; the door accepts it in no name of a stream.
   */
  private static final char POSITION = '#';

  private final String service;
  private final int partition;

  /** Statements before this position are not cancelled, unless they have been since. */
  private long noneCancelledBefore = Long.MIN_VALUE;

  public Requests(String service, int partition) {
    this.service = service;
    this.partition = partition;
  }

  /** The stored row of a key. */
  private record Known(byte[] hash, boolean done, byte[] result) {}

  /**
   * Stores that a statement was cancelled. It commits.
   *
   * @return false if it was performed, or its key is known
   * @throws SQLException also if its service has never performed anything
   */
  static boolean cancel(Connection connection, String service, Message statement, int seconds)
      throws SQLException {
    if (!GeneratedKey.is(Objects.requireNonNull(statement.key()))) {
      return cancelKeyed(connection, service, statement, statement.key(), seconds);
    }
    connection.setAutoCommit(false); // its pool rolls back what is not committed, and sets it again
    lockProgress(connection, service, statement, seconds);
    String key = GeneratedKey.text(statement.key());
    if (!cancelKeyed(connection, service, statement, key, seconds)) {
      return false;
    }
    cancelPosition(connection, service, statement, seconds);
    connection.commit();
    return true;
  }

  /**
   * The key of a statement with a {@link GeneratedKey} is not inserted when it is performed. So
   * that only one of both happens, cancelling and performing change the same row of the progress.
   */
  private static void lockProgress(
      Connection connection, String service, Message statement, int seconds) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "update forebay.progress set next_position = next_position"
                + " where service = ? and partition_id = ?")) {
      update.setQueryTimeout(seconds);
      update.setString(1, service);
      update.setInt(2, statement.partition());
      if (update.executeUpdate() == 0) {
        throw new SQLException(
            "partition %d of %s has no progress yet".formatted(statement.partition(), service));
      }
    }
  }

  private static void cancelPosition(
      Connection connection, String service, Message statement, int seconds) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into forebay.cancelled_stream"
                + " (client, stream, service, partition_id, cancelled_at)"
                + " select client, ?, service, partition_id, created_at from forebay.request"
                + " where message_id = ?")) {
      insert.setQueryTimeout(seconds);
      insert.setString(1, name(statement.position(), statement.id()));
      insert.setObject(2, statement.id());
      insert.executeUpdate();
    }
  }

  /** With its id, because another queue may have a message at this position later. */
  private static String name(long position, UUID id) {
    return name(position) + ":" + id;
  }

  /** Comes before the names of statements at this position and after those before it. */
  private static String name(long position) {
    return POSITION + "%019d".formatted(position);
  }

  private static boolean cancelKeyed(
      Connection connection, String service, Message statement, String key, int seconds)
      throws SQLException {
    OffsetDateTime time = OffsetDateTime.now(ZoneOffset.UTC);
    try (PreparedStatement select =
        connection.prepareStatement(
            "select next_position, key_clock from forebay.progress"
                + " where service = ? and partition_id = ?")) {
      select.setQueryTimeout(seconds);
      select.setString(1, service);
      select.setInt(2, statement.partition());
      try (ResultSet row = select.executeQuery()) {
        if (row.next()) {
          if (row.getLong(1) > statement.position()) {
            return false; // its key may have been forgotten since
          }
          OffsetDateTime stored = row.getObject(2, OffsetDateTime.class);
          time = stored == null || stored.isBefore(time) ? time : stored;
        }
      }
    }
    try (PreparedStatement insert =
        connection.prepareStatement(INSERT + " values (?, ?, ?, ?, ?, ?, ?, 'FAILED', ?, ?)")) {
      insert.setQueryTimeout(seconds);
      insert.setString(1, statement.client());
      insert.setString(2, key);
      insert.setBytes(3, ANY_REQUEST);
      insert.setObject(
          4,
          Message.keyedId(
              Objects.requireNonNull(statement.client()), Objects.requireNonNull(statement.key())));
      insert.setString(5, service);
      insert.setInt(6, statement.partition());
      insert.setLong(7, statement.position());
      insert.setBytes(8, OutcomeCodec.encodeWhole(new Outcome.Failed(CANCELLED, false)));
      insert.setObject(9, time);
      insert.executeUpdate();
      return true;
    } catch (SQLException e) {
      if (SqlFailure.of(e).kind() == SqlFailure.Kind.CONSTRAINT) {
        return false; // it is performed now
      }
      throw e;
    }
  }

  /** Sets the outcomes of statements with known keys; they are not performed. */
  public void recognise(DatabaseSession session, List<PendingStatement> keyed) throws SQLException {
    Map<UUID, Known> known = find(session, keyed);
    Map<UUID, PendingStatement> toPerform = new HashMap<>();
    for (PendingStatement statement : keyed) {
      UUID id = keyedId(statement);
      Known request = known.get(id);
      PendingStatement earlier = toPerform.get(id);
      if (request != null && Arrays.equals(request.hash(), ANY_REQUEST)) {
        answer(statement, asAsked(statement, OutcomeCodec.decode(request.result()).getFirst()));
      } else if (request != null && !statement.isRequest(request.hash())) {
        answer(statement, reused(statement));
      } else if (request != null && (request.done() || !isReplay(statement))) {
        answer(statement, OutcomeCodec.decode(request.result()).getFirst());
      } else if (earlier != null) {
        if (statement.isRequest(Objects.requireNonNull(earlier.requestHash))) {
          statement.duplicateOf = earlier;
        } else {
          answer(statement, reused(statement));
        }
      } else {
        toPerform.put(id, statement);
      }
    }
  }

  /** Statements may have been cancelled since the last {@link #recogniseCancelled}. */
  public void mayBeCancelled() {
    noneCancelledBefore = Long.MIN_VALUE;
  }

  /**
   * Sets the outcomes of cancelled statements with a {@link GeneratedKey}. Asks the database only
   * if one of them may be cancelled.
   *
   * @param statements in the order of their positions; positions never decrease between calls,
   *     unless {@link #mayBeCancelled} is called
   */
  public void recogniseCancelled(DatabaseSession session, List<PendingStatement> statements)
      throws SQLException {
    long end = statements.getLast().position() + 1;
    if (end <= noneCancelledBefore) {
      return;
    }
    Set<String> cancelled = cancelled(session, statements.getFirst().position(), end);
    noneCancelledBefore =
        session.dialect() == Dialect.POSTGRESQL ? firstCancelled(session, end) : end;
    if (cancelled.isEmpty()) {
      return;
    }
    for (PendingStatement statement : statements) {
      if (cancelled.contains(name(statement.position(), message(statement).id()))) {
        answer(statement, new Outcome.Failed(CANCELLED, statement.isQuery()));
      }
    }
  }

  private Set<String> cancelled(DatabaseSession session, long from, long to) throws SQLException {
    PreparedStatement select = cancelled(session, "stream", from, to);
    Set<String> cancelled = new HashSet<>();
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        cancelled.add(rows.getString(1));
      }
    }
    return cancelled;
  }

  /** The position of the first cancelled statement from there on. */
  private long firstCancelled(DatabaseSession session, long from) throws SQLException {
    try (ResultSet row = cancelled(session, "min(stream)", from, Long.MAX_VALUE).executeQuery()) {
      row.next();
      String name = row.getString(1);
      return name == null ? Long.MAX_VALUE : Long.parseLong(name, 1, name.indexOf(':'), 10);
    }
  }

  private PreparedStatement cancelled(DatabaseSession session, String what, long from, long to)
      throws SQLException {
    PreparedStatement select =
        session.prepare(
            "select "
                + what
                + " from forebay.cancelled_stream where stream >= ? and stream < ?"
                + " and stream like '#%' and service = ? and partition_id = ?");
    if (session.dialect() == Dialect.POSTGRESQL) {
      planEachTime(select);
    }
    select.setString(1, name(from));
    select.setString(2, name(to));
    select.setString(3, service);
    select.setInt(4, partition);
    return select;
  }

  private static void answer(PendingStatement statement, Outcome outcome) {
    statement.outcome = outcome;
    statement.known = true;
  }

  /** A query is answered as a query. */
  private static Outcome asAsked(PendingStatement statement, Outcome cancelled) {
    return cancelled instanceof Outcome.Failed failed
        ? new Outcome.Failed(failed.failure(), statement.isQuery())
        : cancelled;
  }

  private static Outcome reused(PendingStatement statement) {
    return new Outcome.Failed(
        new SqlFailure(
            "22000",
            0,
            SqlFailure.Kind.KEY_REUSED,
            "the idempotency key was used with another request; nothing was performed"),
        statement.isQuery());
  }

  /** Stores the outcomes of new keys, as used {@code now}. */
  public void remember(DatabaseSession session, List<PendingStatement> keyed, Instant now)
      throws SQLException {
    OffsetDateTime time = now.atOffset(ZoneOffset.UTC);
    List<PendingStatement> fresh = new ArrayList<>();
    for (PendingStatement statement : keyed) {
      PendingStatement original = statement.duplicateOf;
      if (original != null) {
        statement.outcome = original.outcome;
      } else if (statement.performedNow()
          && !(isReplay(statement) && replace(session, statement, time))) {
        fresh.add(statement);
      }
    }
    if (fresh.isEmpty()) {
      return;
    }
    try {
      if (session.dialect() == Dialect.POSTGRESQL) {
        insertArrays(session, fresh, time);
      } else {
        insertBatch(session, fresh, time);
      }
    } catch (SQLException e) {
      if (SqlErrors.of(e) == SqlErrors.STATEMENT && SqlErrors.rolledBack(e)) {
        // another partition has just used the key; the next attempt finds it
        throw new SQLTransactionRollbackException(
            "an idempotency key was used by another partition", "40001");
      }
      throw e;
    }
  }

  /** Uses an array per column: a third of the work of a JDBC batch for client and server. */
  private void insertArrays(
      DatabaseSession session, List<PendingStatement> fresh, OffsetDateTime time)
      throws SQLException {
    int rows = fresh.size();
    @Nullable String[] clients = new String[rows];
    @Nullable String[] keys = new String[rows];
    byte[][] hashes = new byte[rows][];
    UUID[] ids = new UUID[rows];
    Long[] positions = new Long[rows];
    String[] states = new String[rows];
    byte[][] results = new byte[rows][];
    for (int row = 0; row < rows; row++) {
      PendingStatement statement = fresh.get(row);
      Message message = message(statement);
      clients[row] = message.client();
      keys[row] = message.key();
      hashes[row] = Objects.requireNonNull(statement.requestHash);
      ids[row] = keyedId(statement);
      positions[row] = message.position();
      states[row] = state(statement);
      results[row] = OutcomeCodec.encodeWhole(outcome(statement));
    }
    PreparedStatement insert =
        session.prepare(
            INSERT
                + " select client, key, hash, id, ?, ?, position, state, result, ?"
                + " from unnest(?::varchar[], ?::varchar[], ?::bytea[], ?::uuid[], ?::int8[],"
                + " ?::varchar[], ?::bytea[])"
                + " as request(client, key, hash, id, position, state, result)");
    insert.setString(1, service);
    insert.setInt(2, partition);
    insert.setObject(3, time);
    insert.setArray(4, array(session, "varchar", clients));
    insert.setArray(5, array(session, "varchar", keys));
    insert.setArray(6, array(session, "bytea", hashes));
    insert.setArray(7, array(session, "uuid", ids));
    insert.setArray(8, array(session, "int8", positions));
    insert.setArray(9, array(session, "varchar", states));
    insert.setArray(10, array(session, "bytea", results));
    insert.executeUpdate();
  }

  private static Array array(DatabaseSession session, String type, @Nullable Object[] values)
      throws SQLException {
    return session.connection().createArrayOf(type, values);
  }

  private void insertBatch(
      DatabaseSession session, List<PendingStatement> fresh, OffsetDateTime time)
      throws SQLException {
    PreparedStatement insert = session.prepare(INSERT + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    try {
      for (PendingStatement statement : fresh) {
        bind(insert, statement, time);
        insert.addBatch();
      }
      insert.executeBatch();
    } catch (SQLException e) {
      insert.clearBatch();
      throw e;
    }
  }

  /**
   * Deletes the keys that were first used before {@code time}, except those of failed statements
   * and dead letters that are still listed: whatever is replayed has to find its key.
   */
  public void forget(DatabaseSession session, Instant time) throws SQLException {
    PreparedStatement delete =
        session.prepare(
            "delete from forebay.request r"
                + " where r.service = ? and r.partition_id = ? and r.created_at < ?"
                + " and not exists (select 1 from forebay.failed_statement f"
                + " where f.replay_key = r.message_id)"
                + " and not exists (select 1 from forebay.dead_letter d"
                + " where d.replay_key = r.message_id)");
    if (session.dialect() == Dialect.POSTGRESQL) {
      planEachTime(delete);
    }
    delete.setString(1, service);
    delete.setInt(2, partition);
    delete.setObject(3, time.atOffset(ZoneOffset.UTC));
    delete.executeUpdate();
  }

  /** A plan cached while a table was empty would scan the whole table for each key or batch. */
  private static void planEachTime(PreparedStatement statement) throws SQLException {
    statement.unwrap(PGStatement.class).setPrepareThreshold(0);
  }

  private Map<UUID, Known> find(DatabaseSession session, List<PendingStatement> keyed)
      throws SQLException {
    PreparedStatement select =
        session.prepare(
            "select message_id, request_hash, state, result from forebay.request where message_id "
                + (session.dialect() == Dialect.POSTGRESQL ? "= any (?)" : "in (unnest(?))"));
    if (session.dialect() == Dialect.POSTGRESQL) {
      planEachTime(select);
    }
    UUID[] ids = keyed.stream().map(Requests::keyedId).distinct().toArray(UUID[]::new);
    Array array = session.connection().createArrayOf("uuid", ids);
    select.setArray(1, array);
    Map<UUID, Known> known = new HashMap<>();
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        known.put(
            rows.getObject(1, UUID.class),
            new Known(rows.getBytes(2), rows.getString(3).equals("DONE"), rows.getBytes(4)));
      }
    }
    return known;
  }

  /** A replay takes over a key whose statement failed; if it is done meanwhile, nothing is. */
  private boolean replace(DatabaseSession session, PendingStatement statement, OffsetDateTime time)
      throws SQLException {
    PreparedStatement update =
        session.prepare(
            "update forebay.request set state = ?, result = ?, position = ?, partition_id = ?,"
                + " service = ?, created_at = ?"
                + " where message_id = ? and state = 'FAILED'");
    update.setString(1, state(statement));
    update.setBytes(2, OutcomeCodec.encodeWhole(outcome(statement)));
    update.setLong(3, message(statement).position());
    update.setInt(4, partition);
    update.setString(5, service);
    update.setObject(6, time);
    update.setObject(7, keyedId(statement));
    return update.executeUpdate() == 1;
  }

  private void bind(PreparedStatement insert, PendingStatement statement, OffsetDateTime time)
      throws SQLException {
    Message message = message(statement);
    insert.setString(1, message.client());
    insert.setString(2, message.key());
    insert.setBytes(3, statement.requestHash);
    insert.setObject(4, keyedId(statement));
    insert.setString(5, service);
    insert.setInt(6, partition);
    insert.setLong(7, message.position());
    insert.setString(8, state(statement));
    insert.setBytes(9, OutcomeCodec.encodeWhole(outcome(statement)));
    insert.setObject(10, time);
  }

  private static String state(PendingStatement statement) {
    return statement.outcome instanceof Outcome.Failed ? "FAILED" : "DONE";
  }

  private static boolean isReplay(PendingStatement statement) {
    return message(statement).replayOf() != null;
  }

  private static UUID keyedId(PendingStatement statement) {
    return Objects.requireNonNull(statement.keyedId);
  }

  private static Message message(PendingStatement statement) {
    return Objects.requireNonNull(statement.message);
  }

  private static Outcome outcome(PendingStatement statement) {
    return Objects.requireNonNull(statement.outcome);
  }
}
