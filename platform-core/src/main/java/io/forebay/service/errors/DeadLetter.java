/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.call.CallFailure;
import io.forebay.call.value.UndecodableReason;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
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
    @Nullable Decision decision) {

  private static final Set<String> UNDECODABLE =
      Arrays.stream(UndecodableReason.values()).map(Enum::name).collect(Collectors.toSet());

  /**
   * A replay.
   *
   * @param messageId the id of the new message
   * @param position the position of the new message, or -1 if it is unknown
   * @param by who requested it
   */
  public record Replay(UUID messageId, long position, String by, Instant at) {}

  /** The state of a letter. */
  public enum State {
    /** Nobody has decided about it. */
    OPEN,
    /** It was replayed. */
    REPLAYED,
    /** An operator put it off. */
    SET_ASIDE,
    /** An operator decided that it is never performed. */
    DISCARDED;

    /**
     * Whether an operator may decide so about a letter in this state: it is set aside if it is
     * open, reopened if it is set aside, and discarded if it is either.
     *
     * @param to {@link #OPEN} to reopen it
     */
    public boolean allows(State to) {
      return switch (to) {
        case OPEN -> this == SET_ASIDE;
        case SET_ASIDE -> this == OPEN;
        case DISCARDED -> this == OPEN || this == SET_ASIDE;
        case REPLAYED -> throw new IllegalArgumentException("a replay is no decision");
      };
    }
  }

  /**
   * What an operator decided.
   *
   * @param state {@link State#SET_ASIDE} or {@link State#DISCARDED}
   * @param by who decided
   * @param reason empty if none was given
   */
  public record Decision(State state, String by, Instant at, String reason) {}

  State state() {
    if (replay != null) {
      return State.REPLAYED;
    }
    return decision == null ? State.OPEN : decision.state();
  }

  DeadLetter withReplay(@Nullable Replay last, int count) {
    return new DeadLetter(
        queueId, partition, position, messageId, error, text, tries, replayOf, at, bytes, last,
        count, decision);
  }

  DeadLetter withDecision(@Nullable Decision last) {
    return new DeadLetter(
        queueId, partition, position, messageId, error, text, tries, replayOf, at, bytes, replay,
        replays, last);
  }

  /**
   * Whether the error is that of a message which cannot be decoded: to replay it to the same
   * version of the service is in vain.
   *
   * @param error that of a dead letter, here or in the database of a gateway
   */
  public static boolean isUndecodable(String error) {
    return error.equals(CallFailure.UNDECODABLE) || UNDECODABLE.contains(error);
  }
}
