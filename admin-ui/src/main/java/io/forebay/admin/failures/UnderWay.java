/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.failures.Failure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The messages of a replay that were sent and whose outcomes are unknown. They are few, so that the
 * replay stops in time: at first as many as may fail in a row, then one more for each that took
 * effect since the last failure, up to those of a second. For one thread.
 */
final class UnderWay {

  private final ReplayPlan.Order order;

  /** Those of each partition, in the order in which their outcomes come. */
  private final Map<Integer, Deque<String>> sent = new TreeMap<>();

  private int size;
  private int failedInARow;
  private int doneInARow;

  UnderWay(ReplayPlan.Order order) {
    this.order = order;
  }

  void add(int partition, String id) {
    sent.computeIfAbsent(partition, _ -> new ArrayDeque<>()).add(id);
    size++;
  }

  /** Whether an outcome must be known before the next message is sent. */
  boolean isFull() {
    int mayFail = order.stopAfterFailures();
    return size >= Math.max(mayFail, Math.min(mayFail + doneInARow, (int) order.perSecond()));
  }

  /**
   * Takes out those whose outcome is known, in each partition up to the first that is not performed
   * yet.
   */
  void look(Function<String, Failure.Outcome> outcomes, Consumer<Failure.Outcome> known) {
    for (Deque<String> ofPartition : sent.values()) {
      while (!ofPartition.isEmpty()) {
        Failure.Outcome outcome = outcomes.apply(ofPartition.getFirst());
        if (outcome == Failure.Outcome.PENDING) {
          break;
        }
        ofPartition.removeFirst();
        size--;
        known.accept(outcome);
      }
    }
  }

  /** Counts those in a row. */
  void count(boolean isDone) {
    failedInARow = isDone ? 0 : failedInARow + 1;
    doneInARow = isDone ? doneInARow + 1 : 0;
  }

  int failedInARow() {
    return failedInARow;
  }

  /** Whether as many in a row failed as may. */
  boolean hasFailed() {
    return failedInARow >= order.stopAfterFailures();
  }
}
