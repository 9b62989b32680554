/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.catalogue.DoorGateway;
import org.jspecify.annotations.Nullable;

/**
 * Statements that the limits of their caller admit. Until it is closed, they count as waiting. For
 * one thread.
 */
public final class Admission implements AutoCloseable {

  private final int statements;
  private final @Nullable TokenBucket bucket;
  private final @Nullable WaitingStatements waiting;
  private final @Nullable DoorGateway gateway;
  private final @Nullable RecentCount recent;
  private int unsent;
  private int reserved;

  Admission(
      int statements,
      @Nullable TokenBucket bucket,
      @Nullable WaitingStatements waiting,
      @Nullable DoorGateway gateway,
      @Nullable RecentCount recent) {
    this.statements = statements;
    this.bucket = bucket;
    this.waiting = waiting;
    this.gateway = gateway;
    this.recent = recent;
    unsent = statements;
    reserved = statements;
  }

  static Admission unlimited(int statements) {
    return new Admission(statements, null, null, null, null);
  }

  /** How many statements are admitted. */
  public int statements() {
    return statements;
  }

  /** Statements were appended to the queue; the others do not count towards the rate. */
  public void sent(int count) {
    unsent -= count;
    if (recent != null) {
      recent.add(count);
    }
  }

  /** Statements that were sent wait at a position, until they are performed. */
  public void waits(Receipt receipt, int count) {
    if (waiting != null && gateway != null) {
      waiting.add(gateway, receipt.partition(), receipt.position(), count);
      waiting.release(count);
      reserved -= count;
    }
  }

  /** From now on only the statements count that {@link #waits}. May be called again. */
  @Override
  public void close() {
    if (bucket != null && unsent > 0) {
      bucket.giveBack(unsent);
    }
    unsent = 0;
    if (waiting != null && reserved > 0) {
      waiting.release(reserved);
    }
    reserved = 0;
  }
}
