/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.call.Message;
import io.forebay.database.Dialect;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.ledger.RowInsert.Column;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.IdempotencyKey;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
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

/**
 * Statements with an idempotency key: each key takes effect once, however often its statement is
 * sent. Keys are read and written in the transaction that performs the statements.
 */
public final class IdempotencyKeys {

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

  private static final SqlFailure REUSED =
      new SqlFailure(
          "22000",
          0,
          SqlFailure.Kind.KEY_REUSED,
          "the idempotency key was used with another request; nothing was performed");

  private static final String FORGET =
      "delete from forebay.request r"
          + " where r.service = ? and r.partition_id = ? and r.created_at < ?"
          + " and not exists (select 1 from forebay.failed_message f"
          + " where f.replay_key = r.message_id)";

  private final String service;
  private final int partition;

  /** The statements of the transaction that have a key. */
  private List<PendingStatement> keyed = List.of();

  public IdempotencyKeys(String service, int partition) {
    this.service = service;
    this.partition = partition;
  }

  /** The stored row of a key, without its result. */
  private record Known(byte[] hash, boolean done, int resultBytes) {}

  /**
   * Sets the outcomes of statements with known keys; they are not performed.
   *
   * @throws io.forebay.jdbc.statement.PerformAgain if their results are too large; none was loaded
   */
  public void recognise(DatabaseSession session, Batch batch) throws SQLException {
    keyed = batch.keyed(IdempotencyKey.class);
    Map<UUID, Known> known = keyed.isEmpty() ? Map.of() : find(session, keyed);
    Map<UUID, PendingStatement> toPerform = new HashMap<>();
    List<PendingStatement> done = new ArrayList<>();
    for (PendingStatement statement : keyed) {
      IdempotencyKey key = key(statement);
      UUID id = key.id();
      Known request = known.get(id);
      PendingStatement earlier = toPerform.get(id);
      byte[] used = request != null ? request.hash() : earlier != null ? key(earlier).hash() : null;
      if (used != null && !key.identifies(used)) {
        statement.failKnown(REUSED);
      } else if (earlier != null) {
        statement.sameAs(earlier);
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

  /** Stores the outcomes of the new keys of {@link #recognise}, as used {@code now}. */
  public void remember(DatabaseSession session, Instant now) throws SQLException {
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
    // fails if another partition has just used a key; the next attempt finds it
    INSERT.insert(session, List.of(service, partition, time), fresh);
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
    session.planEachTime(FORGET);
    session.update(FORGET, service, partition, time.atOffset(ZoneOffset.UTC));
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
    String select =
        "select message_id, "
            + columns
            + " from forebay.request where message_id "
            + (session.dialect() == Dialect.POSTGRESQL ? "= any (?)" : "in (unnest(?))");
    UUID[] ids =
        keyed.stream().map(statement -> key(statement).id()).distinct().toArray(UUID[]::new);
    session.planEachTime(select);
    return session.query(select, session.connection().createArrayOf("uuid", ids));
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
