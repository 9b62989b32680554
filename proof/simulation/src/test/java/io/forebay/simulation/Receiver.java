/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.Message;
import io.forebay.service.progress.Unavailable;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** A bean that receives answers; what it needs is not always there. */
final class Receiver implements Work.Answers {

  private static final String INSERT =
      "insert into received (partition_id, number, turn) values (?, ?, ?)";

  private final ServiceHistory history;
  private final @Nullable JdbcTemplate database;

  /**
   * @param database of its transactions; null if it has none
   */
  Receiver(ServiceHistory history, @Nullable JdbcTemplate database) {
    this.history = history;
    this.database = database;
  }

  @Override
  public void noted(long number, long turn) {
    SimulatedProcess.current().pause();
    if (history.faults.receiverLacksSomething()) {
      throw new Unavailable("what the receiver needs is unavailable", null);
    }
    int partition = Message.current().partition();
    if (database != null) {
      database.update(INSERT, partition, number, turn);
    } else {
      history.received.add(new ServiceHistory.Received(partition, number, turn));
      history.world.trace.add(
          history.world, SimulatedProcess.current().name(), "received %d, turn %d", number, turn);
    }
  }
}
