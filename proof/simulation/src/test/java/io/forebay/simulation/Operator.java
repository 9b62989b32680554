/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueStats;
import io.forebay.service.ServiceState;
import java.util.List;
import java.util.Map;

/** What an operator does about a gateway that has failed, as docs/operations.md says. */
final class Operator {

  private Operator() {}

  /**
   * "A queue is damaged", and "A queue returned to an older state": has the damage of each
   * partition set aside.
   *
   * @return whether there was some, so that a restart is due
   */
  static boolean setsAside(JDBCService gateway) {
    boolean damaged = false;
    for (int i = 0; i < gateway.in().partitions(); i++) {
      int partition = i;
      if (List.of(gateway.in(), gateway.out()).stream().anyMatch(it -> isDamaged(it, partition))) {
        gateway.setAside(partition);
        damaged = true;
      }
    }
    return damaged;
  }

  /**
   * "A queue returned to an older state": the partitions where another message is in the place of
   * the last performed one.
   */
  static List<Integer> othersInPlace(JDBCService gateway) {
    return gateway.states().entrySet().stream()
        .filter(it -> it.getValue().phase() == ServiceState.Phase.FAILED)
        .filter(it -> it.getValue().reason().contains("is not the one that the database performed"))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** "The database returned to an older state". */
  static boolean databaseReturned(JDBCService gateway) {
    return hasFailed(gateway, "the database returned to an older state");
  }

  /** "Changing from Chronicle and back": the former backend must be drained first. */
  static boolean notDrained(JDBCService gateway) {
    return hasFailed(gateway, "start it with the previous queue and drain it");
  }

  private static boolean hasFailed(JDBCService gateway, String reason) {
    return gateway.states().values().stream()
        .anyMatch(
            state -> state.phase() == ServiceState.Phase.FAILED && state.reason().contains(reason));
  }

  private static boolean isDamaged(MessageQueue queue, int partition) {
    QueueStats.Damage damage = queue.stats(partition).damage();
    return damage != null && !damage.setAsideNext();
  }
}
