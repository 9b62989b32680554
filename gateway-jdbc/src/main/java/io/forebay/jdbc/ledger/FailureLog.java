/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.call.Message;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.ledger.RowInsert.Column;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.Request;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.operations.failures.FailureId;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores the failed messages of a partition unchanged, in the transaction of their batch; so each
 * is stored exactly once, also after a crash.
 *
 * <p>It reads their bytes again from the in-queue, which keeps them at least until they are
 * answered, so a batch without failures has no cost. For one thread.
 */
public final class FailureLog implements AutoCloseable {

  private static final RowInsert INSERT =
      new RowInsert(
          "forebay.failed_message",
          List.of("queue_id", "partition_id", "service", "created_at"),
          new Column("position", Long.class),
          new Column("message_id", UUID.class),
          new Column("payload", byte[].class),
          new Column("replay_key", UUID.class),
          new Column("kind", String.class),
          new Column("detail", String.class),
          new Column("sql_state", String.class),
          new Column("message", String.class),
          new Column("statement_name", String.class),
          new Column("failed_on", String.class));

  /** Limited, because a transaction waits for it. */
  private static final Duration LONGEST_READ = Duration.ofSeconds(2);

  /** The lengths of the columns. */
  private static final int LONGEST_NAME = 200;

  private static final int LONGEST_OBJECT = 500;
  private static final int LONGEST_DETAIL = 1000;

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

  /**
   * @param now when they failed
   */
  public void keep(DatabaseSession session, Batch batch, Instant now) throws SQLException {
    List<@Nullable Object[]> rows = new ArrayList<>();
    long last = -1;
    for (int i = 0; i < batch.size(); i++) {
      PendingStatement statement = batch.get(i);
      boolean isDead = statement.request() instanceof Request.Undecodable;
      if (statement.position() == last || !isDead && !statement.failedNow()) {
        continue; // a message is kept with the failure of its first statement
      }
      if (last < 0) {
        tailer().seek(statement.position());
      }
      last = statement.position();
      rows.add(row(statement, payload(tailer(), last)));
    }
    INSERT.insert(
        session, List.of(in.identity(), partition, service, now.atOffset(ZoneOffset.UTC)), rows);
  }

  private @Nullable Object[] row(PendingStatement statement, byte[] payload) {
    Message message = statement.message();
    FailureId id = new FailureId(service, partition, statement.position(), in.identity());
    UUID messageId = message == null ? null : message.id();
    UUID key = ReplayKey.of(message, id).id();
    if (statement.request() instanceof Request.Undecodable(_, String reason, String detail)) {
      String cut = cut(detail, LONGEST_DETAIL);
      return new @Nullable Object[] {
        id.position(), messageId, payload, key, reason, cut, null, null, null, null
      };
    }
    Outcome.Failed failed = (Outcome.Failed) statement.state();
    SqlFailure failure = failed.failure();
    FailedObject on = failed.on();
    return new @Nullable Object[] {
      id.position(),
      messageId,
      payload,
      key,
      failure.kind().name(),
      cut(failure.words(on), LONGEST_DETAIL),
      failure.sqlState(),
      failure.message(),
      cut(texts.nameOf(statement.request()), LONGEST_NAME),
      cut(on == null ? null : on.words(), LONGEST_OBJECT)
    };
  }

  private static @Nullable String cut(@Nullable String text, int longest) {
    return text == null || text.length() <= longest ? text : text.substring(0, longest);
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

  /**
   * Deletes messages that failed, were replayed and were decided about before {@code time}, except
   * those that are set aside. One that could not be decoded is deleted only if it was discarded, or
   * if its replay took effect.
   */
  public void forget(DatabaseSession session, Instant time) throws SQLException {
    OffsetDateTime before = time.atOffset(ZoneOffset.UTC);
    session.update(
        "delete from forebay.failed_message f where f.service = ? and f.partition_id = ?"
            + " and f.created_at < ? and coalesce(f.replayed_at, f.decided_at, f.created_at) < ?"
            + " and (f.decision is null or f.decision <> 'SET_ASIDE' or f.replayed_as is not null)"
            + " and (f.sql_state is not null or f.replayed_as is null and f.decision is not null"
            + " or exists (select 1 from forebay.request r"
            + " where r.message_id = f.replay_key and r.state = 'DONE'))",
        service,
        partition,
        before,
        before);
  }

  @Override
  public void close() {
    if (tailer != null) {
      tailer.close();
    }
  }
}
