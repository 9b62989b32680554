/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import io.forebay.call.Message;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Statements with an idempotency key: each key has one effect, however often its request comes.
 * What is known of a key is read and written in the transaction that performs the statements.
 */
final class Requests {

  private final String service;
  private final int partition;

  Requests(String service, int partition) {
    this.service = service;
    this.partition = partition;
  }

  /** What the table holds of a key. */
  private record Known(byte[] hash, boolean done, byte[] result) {}

  /** Gives the statements whose keys are known their outcomes; they are not performed. */
  void recognise(DatabaseSession session, List<PendingStatement> keyed) throws SQLException {
    Map<UUID, Known> known = find(session, keyed);
    Map<UUID, PendingStatement> toPerform = new HashMap<>();
    for (PendingStatement statement : keyed) {
      UUID id = keyedId(statement);
      Known request = known.get(id);
      PendingStatement earlier = toPerform.get(id);
      if (request != null && !Arrays.equals(request.hash(), statement.requestHash)) {
        answer(statement, reused(statement));
      } else if (request != null && (request.done() || !isReplay(statement))) {
        answer(statement, OutcomeCodec.decode(request.result()).getFirst());
      } else if (earlier != null) {
        if (Arrays.equals(earlier.requestHash, statement.requestHash)) {
          statement.duplicateOf = earlier;
        } else {
          answer(statement, reused(statement));
        }
      } else {
        toPerform.put(id, statement);
      }
    }
  }

  private static void answer(PendingStatement statement, Outcome outcome) {
    statement.outcome = outcome;
    statement.known = true;
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

  /** Keeps the outcomes of keys that were not known. */
  void remember(DatabaseSession session, List<PendingStatement> keyed) throws SQLException {
    PreparedStatement insert =
        session.prepare(
            "insert into forebay.request (client, idem_key, request_hash, message_id, service,"
                + " partition_id, position, state, result, created_at)"
                + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int inserts = 0;
    for (PendingStatement statement : keyed) {
      PendingStatement original = statement.duplicateOf;
      if (original != null) {
        statement.outcome = original.outcome;
      } else if (statement.performedNow()) {
        if (isReplay(statement) && replace(session, statement)) {
          continue;
        }
        bind(insert, statement);
        insert.addBatch();
        inserts++;
      }
    }
    if (inserts > 0) {
      execute(insert);
    }
  }

  private static void execute(PreparedStatement insert) throws SQLException {
    try {
      insert.executeBatch();
    } catch (SQLException e) {
      insert.clearBatch();
      if (SqlErrors.of(e) == SqlErrors.STATEMENT && SqlErrors.rolledBack(e)) {
        // another partition has just used the key: with the next attempt it is known
        throw new SQLTransactionRollbackException("an idempotency key was used elsewhere", "40001");
      }
      throw e;
    }
  }

  /** Forgets the keys that were first used before {@code time}. */
  void forget(DatabaseSession session, Instant time) throws SQLException {
    PreparedStatement delete =
        session.prepare(
            "delete from forebay.request"
                + " where service = ? and partition_id = ? and created_at < ?");
    delete.setString(1, service);
    delete.setInt(2, partition);
    delete.setObject(3, time.atOffset(ZoneOffset.UTC));
    delete.executeUpdate();
  }

  private Map<UUID, Known> find(DatabaseSession session, List<PendingStatement> keyed)
      throws SQLException {
    PreparedStatement select =
        session.prepare(
            "select message_id, request_hash, state, result from forebay.request where message_id "
                + (session.dialect() == Dialect.POSTGRESQL ? "= any (?)" : "in (unnest(?))"));
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

  /** A replay takes over a key whose statement failed. */
  private boolean replace(DatabaseSession session, PendingStatement statement) throws SQLException {
    PreparedStatement update =
        session.prepare(
            "update forebay.request set state = ?, result = ?, position = ? where message_id = ?");
    update.setString(1, state(statement));
    update.setBytes(2, OutcomeCodec.encodeWhole(outcome(statement)));
    update.setLong(3, message(statement).position());
    update.setObject(4, keyedId(statement));
    return update.executeUpdate() == 1;
  }

  private void bind(PreparedStatement insert, PendingStatement statement) throws SQLException {
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
    insert.setObject(10, Instant.now().atOffset(ZoneOffset.UTC));
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
