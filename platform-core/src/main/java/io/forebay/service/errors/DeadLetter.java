/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.operations.failures.Failure;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that a service gave up.
 *
 * @param queueId the identity of its in-queue
 * @param messageId null if it could not be read
 * @param error as in {@link io.forebay.call.CallFailure}
 * @param text as in {@link io.forebay.call.CallFailure}
 * @param tries how often it was performed
 * @param replayOf the id of the message that it repeated, or null
 * @param at when it was given up
 * @param bytes the size of the message
 * @param replay the last replay; null if there was none
 * @param replays how often it was replayed, including the replays of the message that it repeats
 * @param decision what an operator decided; null if nobody did
 */
public record DeadLetter(
    String queueId,
    int partition,
    long position,
    @Nullable UUID messageId,
    String error,
    String text,
    int tries,
    @Nullable UUID replayOf,
    Instant at,
    long bytes,
    @Nullable Replay replay,
    int replays,
    Failure.@Nullable Decision decision) {

  /**
   * A replay.
   *
   * @param messageId the id of the new message
   * @param position the position of the new message, or -1 if it is unknown
   * @param by who requested it
   */
  public record Replay(UUID messageId, long position, String by, Instant at) {}

  /** As {@link Failure#state}. */
  Failure.State state() {
    if (replay != null) {
      return Failure.State.REPLAYED;
    }
    return decision == null ? Failure.State.OPEN : decision.state();
  }

  DeadLetter withReplay(@Nullable Replay last, int count) {
    return new DeadLetter(
        queueId, partition, position, messageId, error, text, tries, replayOf, at, bytes, last,
        count, decision);
  }

  DeadLetter withDecision(Failure.@Nullable Decision last) {
    return new DeadLetter(
        queueId, partition, position, messageId, error, text, tries, replayOf, at, bytes, replay,
        replays, last);
  }
}
