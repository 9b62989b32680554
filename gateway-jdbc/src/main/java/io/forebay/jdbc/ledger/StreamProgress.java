/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

/**
 * How far a stream of statements is in one partition.
 *
 * @param line the last line that was performed; those before it in this partition were, too
 * @param done how many of its lines took effect
 * @param failed how many failed
 * @param repeated how many came again and were not performed again
 */
public record StreamProgress(int partition, long line, long done, long failed, long repeated) {

  /** How many lines took effect or failed. */
  public long performed() {
    return done + failed;
  }
}
