/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import org.jspecify.annotations.Nullable;

/** Statements that the rate of their caller admits. For one thread. */
public final class Admission implements AutoCloseable {

  private final int statements;
  private final @Nullable TokenBucket bucket;
  private final RecentCount recent;
  private int unsent;

  Admission(int statements, @Nullable TokenBucket bucket, RecentCount recent) {
    this.statements = statements;
    this.bucket = bucket;
    this.recent = recent;
    unsent = statements;
  }

  /** How many statements are admitted. */
  public int statements() {
    return statements;
  }

  /** Statements were appended to the queue; the others do not count towards the rate. */
  public void sent(int count) {
    unsent -= count;
    recent.add(count);
  }

  @Override
  public void close() {
    if (bucket != null && unsent > 0) {
      bucket.giveBack(unsent);
    }
    unsent = 0;
  }
}
