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
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an operator does about a gateway that has failed, as docs/operations.md says. */
final class Operator {

  private static final Pattern RETURNED =
      Pattern.compile("the queue returned to an older state \\(it end\\w+ at ([\\d,]+)");

  private Operator() {}

  /**
   * "A queue is damaged": has the damage of each partition set aside.
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
   * "A queue returned to an older state": the position of each such partition at which it has to
   * continue.
   */
  static Map<Integer, Long> returned(JDBCService gateway) {
    Map<Integer, Long> positions = new TreeMap<>();
    gateway
        .states()
        .forEach((partition, state) -> {
          Matcher found = RETURNED.matcher(state.reason());
          if (state.phase() == ServiceState.Phase.FAILED && found.find()) {
            positions.put(partition, Long.parseLong(found.group(1).replace(",", "")));
          }
        });
    return positions;
  }

  /** "A queue returned to an older state": sets the progress to the position. */
  static void setProgress(SimulatedDatabase database, int partition, long position) {
    database.execute(
        "delete from forebay.outcome where service = '%s' and partition_id = %d"
            .formatted(GatewayHistory.GATEWAY, partition));
    database.execute(
        ("insert into forebay.outcome (service, partition_id, queue_id, to_position)"
                + " select service, partition_id, queue_id, %d from forebay.progress"
                + " where service = '%s' and partition_id = %d")
            .formatted(position, GatewayHistory.GATEWAY, partition));
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
