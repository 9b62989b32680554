/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.statement.DatabaseSession;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Up to where the queues of a partition were performed that others have replaced. One that comes
 * back may still have its messages, and nothing in the out-queue that says they were performed.
 */
record FormerQueues(String service, int partition, DatabaseSession session) {

  /** Up to where a queue was performed before another one took its place; 0 if it was not. */
  long performed(String queueId) throws SQLException {
    PreparedStatement select =
        session.prepare(
            "select next_position from forebay.former_queue"
                + " where service = ? and partition_id = ? and queue_id = ?");
    place(select, queueId);
    try (ResultSet row = select.executeQuery()) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  /** Another queue takes the place of this one. */
  void remember(String queueId, long next) throws SQLException {
    PreparedStatement delete =
        session.prepare(
            "delete from forebay.former_queue"
                + " where service = ? and partition_id = ? and queue_id = ?");
    place(delete, queueId);
    delete.executeUpdate();
    PreparedStatement insert =
        session.prepare(
            "insert into forebay.former_queue (service, partition_id, queue_id, next_position)"
                + " values (?, ?, ?, ?)");
    place(insert, queueId);
    insert.setLong(4, next);
    insert.executeUpdate();
  }

  private void place(PreparedStatement statement, String queueId) throws SQLException {
    statement.setString(1, service);
    statement.setInt(2, partition);
    statement.setString(3, queueId);
  }
}
