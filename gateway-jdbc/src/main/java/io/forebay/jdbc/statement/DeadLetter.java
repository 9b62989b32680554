/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.SqlFailure;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A message that could not be decoded, kept for an operator. */
public record DeadLetter(
    String queueId,
    int partition,
    long position,
    String service,
    @Nullable UUID messageId,
    String reason,
    String detail,
    byte[] payload,
    UUID replayKey) {

  /** What answers it: nothing if its id is unknown. */
  Outcome outcome() {
    return messageId == null
        ? Outcome.UNANSWERED
        : new Outcome.Failed(
            new SqlFailure("HY000", 0, SqlFailure.Kind.UNDECODABLE, detail), false);
  }

  /**
   * @param now when it is kept
   */
  public void keep(DatabaseSession session, Instant now) throws SQLException {
    PreparedStatement insert =
        session.prepare(
            "insert into forebay.dead_letter"
                + " (queue_id, partition_id, position, service, message_id, reason, detail,"
                + " payload, created_at, replay_key) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.setString(1, queueId);
    insert.setInt(2, partition);
    insert.setLong(3, position);
    insert.setString(4, service);
    if (messageId == null) {
      insert.setNull(5, Types.OTHER);
    } else {
      insert.setObject(5, messageId);
    }
    insert.setString(6, reason);
    insert.setString(7, detail.length() > 1000 ? detail.substring(0, 1000) : detail);
    insert.setBytes(8, payload);
    insert.setObject(9, now.atOffset(ZoneOffset.UTC));
    insert.setObject(10, replayKey);
    insert.executeUpdate();
  }
}
