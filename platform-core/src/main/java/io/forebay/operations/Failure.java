/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that was not performed, without what it carries.
 *
 * @param id names it among all of this process
 * @param service which answered it, or could not
 * @param messageId null if it could not be read
 * @param kind the sort of the failure, as a code
 * @param sqlState of the database, or null
 * @param detail in words of our own, without values
 * @param bytes how large the message is
 * @param at when it failed
 * @param replay null if it was never sent again
 * @param replays how often it was sent again, with those it is the repetition of
 */
public record Failure(
    String id,
    String service,
    int partition,
    long position,
    @Nullable UUID messageId,
    String kind,
    @Nullable String sqlState,
    String detail,
    long bytes,
    Instant at,
    @Nullable Replay replay,
    int replays) {

  /**
   * It was sent again.
   *
   * @param messageId of the new message; of the last one if it was sent several times
   * @param by who had it sent
   */
  public record Replay(UUID messageId, String by, Instant at, Outcome outcome) {}

  /** What became of a message that was sent again. */
  public enum Outcome {
    /** It was not performed yet. */
    PENDING,
    /** It took effect. */
    DONE,
    /** It failed again, and is listed by itself. */
    FAILED
  }
}
