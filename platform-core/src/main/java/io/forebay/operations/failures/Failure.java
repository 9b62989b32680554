/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
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
 * @param traceId the trace of its sender; null if there is none, or it is not known
 * @param bytes the size of the message
 * @param at when it failed
 * @param replay the last replay; null if there was none
 * @param replays how often it was replayed, including the replays of the message that it repeats
 * @param decision that an operator set it aside or discarded it; null if nobody did
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
    @Nullable String traceId,
    long bytes,
    Instant at,
    @Nullable Replay replay,
    int replays,
    @Nullable Decision decision) {

  /** After so many replays, only administrators replay a message again: that ends loops. */
  public static final int OFTEN = 3;

  /** Whether only administrators may replay it again. */
  public boolean needsAdmin() {
    return replays >= OFTEN;
  }

  /** The state of a message that was not performed. */
  public enum State {
    /** Nobody has decided about it. */
    OPEN,
    /** It was replayed; its {@link Replay#outcome} says whether it took effect. */
    REPLAYED,
    /** An operator put it off. It is kept until it is replayed or discarded. */
    SET_ASIDE,
    /** An operator decided that it is never performed. */
    DISCARDED;

    /** The name in requests and in the audit, such as {@code set-aside}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Whether an operator may decide so about a message in this state: it is set aside if it is
     * open, reopened if it is set aside, and discarded if it is either.
     *
     * @param to {@link #OPEN} to reopen it
     */
    public boolean allows(State to) {
      return switch (to) {
        case OPEN -> this == SET_ASIDE;
        case SET_ASIDE -> this == OPEN;
        case DISCARDED -> isWaiting();
        case REPLAYED -> throw new IllegalArgumentException("a replay is no decision");
      };
    }

    /** Whether it may be replayed by a command to its group. */
    public boolean isWaiting() {
      return this == OPEN || this == SET_ASIDE;
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

  public State state() {
    if (replay != null) {
      return State.REPLAYED;
    }
    return decision == null ? State.OPEN : decision.state();
  }

  /** Why a decision about this message is not stored, whether or not its state allows it. */
  DecisionRefused refusal(State to) {
    return new DecisionRefused(
        state().allows(to)
            ? "another operator decided about it at the same time; nothing was changed; try again"
            : "%s; nothing was changed".formatted(history()));
  }

  /** What became of it, as the beginning of a sentence. */
  private String history() {
    if (replay != null) {
      return "it was already replayed by %s at %s (%s)"
          .formatted(replay.by(), seconds(replay.at()), replay.outcome());
    }
    return decision == null
        ? "it is open, and not set aside"
        : "it was already %s by %s at %s"
            .formatted(
                decision.state() == State.DISCARDED ? "discarded" : "set aside",
                decision.by(),
                seconds(decision.at()));
  }

  /** For a sentence. */
  private static Instant seconds(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * @throws DecisionRefused if it was discarded
   */
  public void mustNotBeDiscarded() {
    if (decision != null && decision.state() == State.DISCARDED) {
      throw new DecisionRefused(
          "it was discarded by %s at %s; nothing was sent"
              .formatted(decision.by(), seconds(decision.at())));
    }
  }

  public Failure withReplay(@Nullable Replay last, int count) {
    return new Failure(
        id, service, partition, position, messageId, kind, sqlState, detail, origin, traceId, bytes,
        at, last, count, decision);
  }

  public Failure withDecision(@Nullable Decision last) {
    return new Failure(
        id, service, partition, position, messageId, kind, sqlState, detail, origin, traceId, bytes,
        at, replay, replays, last);
  }

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
