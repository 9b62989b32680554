/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that was not performed, without its content.
 *
 * @param id unique in this process
 * @param service the service that failed it or could not decode it
 * @param messageId null if it could not be read
 * @param kind the kind of failure, as a code
 * @param sqlState of the database, or null
 * @param detail a description written by Forebay, without values
 * @param origin where it comes from; null if that is not known
 * @param bytes the size of the message
 * @param at when it failed
 * @param replay the last replay; null if there was none
 * @param replays how often it was replayed, including the replays of the message that it repeats
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
    @Nullable Origin origin,
    long bytes,
    Instant at,
    @Nullable Replay replay,
    int replays) {

  /**
   * Where a message comes from.
   *
   * @param statement the statement of the catalogue and its version, such as {@code
   *     orders.place@1}; null if the message has SQL text
   * @param client the caller, if the message has an idempotency key
   * @param key the idempotency key, or null
   */
  public record Origin(@Nullable String statement, @Nullable String client, @Nullable String key) {}

  /**
   * A replay.
   *
   * @param messageId the id of the new message; of the last one if there were several
   * @param by who requested it
   */
  public record Replay(UUID messageId, String by, Instant at, Outcome outcome) {}

  /** The outcome of a replay. */
  public enum Outcome {
    /** It has not been performed yet. */
    PENDING,
    /** It took effect. */
    DONE,
    /** It failed again and has its own entry in the list. */
    FAILED
  }
}
