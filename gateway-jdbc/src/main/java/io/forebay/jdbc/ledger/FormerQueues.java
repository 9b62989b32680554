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
 * The positions up to which replaced queues of a partition were performed. A queue that returns may
 * still contain those messages, without results in the out-queue.
 */
record FormerQueues(String service, int partition, DatabaseSession session) {

  /**
   * The position up to which a queue was performed before its replacement; 0 if it was never
   * replaced.
   */
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

  /** Records that another queue replaces this one. */
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
