/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What is known of a stream of statements.
 *
 * @param partitions those that have performed a line of it
 */
public record StreamState(List<StreamProgress> partitions) {

  /** Whether no line of it was performed. */
  public boolean isUnknown() {
    return partitions.isEmpty();
  }

  public long done() {
    return sum(StreamProgress::done);
  }

  public long failed() {
    return sum(StreamProgress::failed);
  }

  public long repeated() {
    return sum(StreamProgress::repeated);
  }

  /** How many lines took effect or failed. */
  public long performed() {
    return done() + failed();
  }

  private long sum(ToLongFunction<StreamProgress> of) {
    return partitions.stream().mapToLong(of).sum();
  }
}
