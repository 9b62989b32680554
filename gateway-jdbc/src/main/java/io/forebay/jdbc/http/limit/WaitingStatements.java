/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.jdbc.catalogue.DoorGateway;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/** Counts the statements of a caller that are accepted and not performed yet. Thread-safe. */
final class WaitingStatements {

  private record Partition(DoorGateway gateway, int number) {

    /** The position before which all statements are performed. */
    long performed() {
      return gateway.answered(number);
    }
  }

  private final IntSupplier limit;
  private final Map<Partition, PositionCounts> waiting = new HashMap<>();
  private long waitingSum;

  /** Statements on their way to the queue, or whose request waits for the result. */
  private long reserved;

  /**
   * @param limit may change
   */
  WaitingStatements(IntSupplier limit) {
    this.limit = limit;
  }

  int limit() {
    return limit.getAsInt();
  }

  /**
   * Reserves room for statements. If they are more than the limit, they have room when none waits.
   *
   * @return whether there was room for all of them
   */
  synchronized boolean reserve(int statements) {
    int wanted = Math.min(statements, limit());
    if (free(wanted) < wanted) {
      return false;
    }
    reserved += statements;
    return true;
  }

  /** Reserves room for as many statements as there is, and returns how many these are. */
  synchronized int reserveSome(int most) {
    int reserving = (int) Math.clamp(free(most), 0, most);
    reserved += reserving;
    return reserving;
  }

  /** How much room there is; it is counted again if it is less than wanted. */
  private long free(int wanted) {
    if (limit() - used() < wanted) {
      forgetPerformed();
    }
    return limit() - used();
  }

  /** Releases room that was reserved. */
  synchronized void release(int statements) {
    reserved -= statements;
  }

  /** Statements wait at a position. They were not reserved. */
  synchronized void add(DoorGateway gateway, int partition, long position, int statements) {
    counts(gateway, partition).add(position, statements);
    waitingSum += statements;
  }

  /** Statements wait at these positions. They were not reserved. */
  synchronized void addAll(DoorGateway gateway, int partition, PositionCounts more) {
    counts(gateway, partition).addAll(more);
    waitingSum += more.sum();
  }

  private PositionCounts counts(DoorGateway gateway, int partition) {
    return waiting.computeIfAbsent(new Partition(gateway, partition), _ -> new PositionCounts());
  }

  private void forgetPerformed() {
    waiting
        .entrySet()
        .removeIf(entry -> {
          waitingSum -= entry.getValue().removeBefore(entry.getKey().performed());
          return entry.getValue().sum() == 0;
        });
  }

  /** As {@link #used()}, counted again. */
  synchronized long usedNow() {
    forgetPerformed();
    return used();
  }

  synchronized long used() {
    return reserved + waitingSum;
  }
}
