/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.call.Message;
import io.forebay.database.Dialect;
import io.forebay.database.SqlErrors;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.ledger.RowInsert.Column;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.IdempotencyKey;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * Statements with an idempotency key: each key takes effect once, however often its statement is
 * sent. Keys are read and written in the transaction that performs the statements.
 */
public final class Requests {

  private static final RowInsert INSERT =
      new RowInsert(
          "forebay.request",
          List.of("service", "partition_id", "created_at"),
          new Column("client", String.class),
          new Column("idem_key", String.class),
          new Column("request_hash", byte[].class),
          new Column("message_id", UUID.class),
          new Column("position", Long.class),
          new Column("state", String.class),
          new Column("result", byte[].class));

  private final String service;
  private final int partition;

  public Requests(String service, int partition) {
    this.service = service;
    this.partition = partition;
  }

  /** The stored row of a key, without its result. */
  private record Known(byte[] hash, boolean done, int resultBytes) {}

  /**
   * Sets the outcomes of statements with known keys; they are not performed.
   *
   * @param batch counts the bytes of their results
   * @throws io.forebay.jdbc.statement.PerformAgain if they are too many; none was loaded
   */
  public void recognise(DatabaseSession session, List<PendingStatement> keyed, Batch batch)
      throws SQLException {
    Map<UUID, Known> known = find(session, keyed);
    Map<UUID, PendingStatement> toPerform = new HashMap<>();
    List<PendingStatement> done = new ArrayList<>();
    for (PendingStatement statement : keyed) {
      IdempotencyKey key = key(statement);
      UUID id = key.id();
      Known request = known.get(id);
      PendingStatement earlier = toPerform.get(id);
      if (request != null && !key.identifies(request.hash())) {
        statement.answerKnown(reused(statement));
      } else if (earlier != null) {
        if (key.identifies(key(earlier).hash())) {
          statement.sameAs(earlier);
        } else {
          statement.answerKnown(reused(statement));
        }
      } else if (request != null && (request.done() || !isReplay(statement))) {
        done.add(statement);
        batch.keeps(request.resultBytes(), statement.position());
      } else {
        toPerform.put(id, statement);
      }
    }
    answer(session, done);
  }

  private static void answer(DatabaseSession session, List<PendingStatement> done)
      throws SQLException {
    if (done.isEmpty()) {
      return;
    }
    Map<UUID, Outcome> outcomes = new HashMap<>();
    try (ResultSet rows = select(session, "result", done)) {
      while (rows.next()) {
        outcomes.put(rows.getObject(1, UUID.class), OutcomeCodec.decodeWhole(rows.getBytes(2)));
      }
    }
    for (PendingStatement statement : done) {
      statement.answerKnown(Objects.requireNonNull(outcomes.get(key(statement).id())));
    }
  }

  private static Outcome reused(PendingStatement statement) {
    return new Outcome.Failed(
        new SqlFailure(
            "22000",
            0,
            SqlFailure.Kind.KEY_REUSED,
            "the idempotency key was used with another request; nothing was performed"),
        statement.request().isQuery());
  }

  /** Stores the outcomes of new keys, as used {@code now}. */
  public void remember(DatabaseSession session, List<PendingStatement> keyed, Instant now)
      throws SQLException {
    OffsetDateTime time = now.atOffset(ZoneOffset.UTC);
    List<@Nullable Object[]> fresh = new ArrayList<>();
    for (PendingStatement statement : keyed) {
      if (statement.state() instanceof PendingStatement.SameAs(PendingStatement original)) {
        statement.answerKnown(outcome(original));
      } else if (statement.state() instanceof Outcome
          && !(isReplay(statement) && replace(session, statement, time))) {
        fresh.add(row(statement));
      }
    }
    try {
      INSERT.insert(session, List.of(service, partition, time), fresh);
    } catch (SQLException e) {
      if (SqlErrors.of(e) == SqlErrors.STATEMENT && SqlErrors.rolledBack(e)) {
        // another partition has just used the key; the next attempt finds it
        throw new SQLTransactionRollbackException(
            "an idempotency key was used by another partition", "40001");
      }
      throw e;
    }
  }

  private static @Nullable Object[] row(PendingStatement statement) {
    Message message = message(statement);
    return new @Nullable Object[] {
      message.client(),
      message.key(),
      key(statement).hash(),
      key(statement).id(),
      message.position(),
      state(statement),
      OutcomeCodec.encodeWhole(outcome(statement))
    };
  }

  /**
   * Deletes the keys that were first used before {@code time}, except those of failed messages that
   * are still listed: whatever is replayed has to find its key.
   */
  public void forget(DatabaseSession session, Instant time) throws SQLException {
    PreparedStatement delete =
        session.prepare(
            "delete from forebay.request r"
                + " where r.service = ? and r.partition_id = ? and r.created_at < ?"
                + " and not exists (select 1 from forebay.failed_message f"
                + " where f.replay_key = r.message_id)");
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

  private static Map<UUID, Known> find(DatabaseSession session, List<PendingStatement> keyed)
      throws SQLException {
    Map<UUID, Known> known = new HashMap<>();
    try (ResultSet rows = select(session, "request_hash, state, octet_length(result)", keyed)) {
      while (rows.next()) {
        known.put(
            rows.getObject(1, UUID.class),
            new Known(rows.getBytes(2), rows.getString(3).equals("DONE"), rows.getInt(4)));
      }
    }
    return known;
  }

  /** The id and these columns of the rows of the keys. */
  private static ResultSet select(
      DatabaseSession session, String columns, List<PendingStatement> keyed) throws SQLException {
    PreparedStatement select =
        session.prepare(
            "select message_id, "
                + columns
                + " from forebay.request where message_id "
                + (session.dialect() == Dialect.POSTGRESQL ? "= any (?)" : "in (unnest(?))"));
    if (session.dialect() == Dialect.POSTGRESQL) {
      planEachTime(select);
    }
    UUID[] ids =
        keyed.stream().map(statement -> key(statement).id()).distinct().toArray(UUID[]::new);
    Array array = session.connection().createArrayOf("uuid", ids);
    select.setArray(1, array);
    return select.executeQuery();
  }

  /** A replay takes over a key whose statement failed; if it is done meanwhile, nothing is. */
  private boolean replace(DatabaseSession session, PendingStatement statement, OffsetDateTime time)
      throws SQLException {
    return session.update(
            "update forebay.request set state = ?, result = ?, position = ?, partition_id = ?,"
                + " service = ?, created_at = ? where message_id = ? and state = 'FAILED'",
            state(statement),
            OutcomeCodec.encodeWhole(outcome(statement)),
            message(statement).position(),
            partition,
            service,
            time,
            key(statement).id())
        == 1;
  }

  private static String state(PendingStatement statement) {
    return statement.outcome() instanceof Outcome.Failed ? "FAILED" : "DONE";
  }

  private static boolean isReplay(PendingStatement statement) {
    return message(statement).replayOf() != null;
  }

  private static IdempotencyKey key(PendingStatement statement) {
    return (IdempotencyKey) Objects.requireNonNull(statement.key());
  }

  private static Message message(PendingStatement statement) {
    return Objects.requireNonNull(statement.message());
  }

  private static Outcome outcome(PendingStatement statement) {
    return Objects.requireNonNull(statement.outcome());
  }
}
