/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.Message;
import io.forebay.jdbc.SqlFailure;
import org.jspecify.annotations.Nullable;

/** A statement of the current batch: what is asked, and how far it is. */
public final class PendingStatement {

  /**
   * How far a statement is. One that was performed, or refused, in the open transaction has its
   * outcome as its state.
   */
  public sealed interface State permits Waiting, SameAs, Known, Recalled, Outcome {}

  /** It is to be performed. */
  private record Waiting() implements State {}

  /** An earlier statement of the batch has its key; its outcome will be that one. */
  public record SameAs(PendingStatement earlier) implements State {}

  /** Its key or its line was used before; the outcome is the earlier one, or a refusal. */
  private record Known(Outcome outcome) implements State {}

  /**
   * It was performed before a restart.
   *
   * @param outcome null until it is read from the ledger
   * @param answered whether it was answered before the restart
   */
  private record Recalled(@Nullable Outcome outcome, boolean answered) implements State {}

  /** What makes its message take effect once, however often it is sent. */
  public sealed interface Key permits IdempotencyKey, StreamLine {}

  /** How it is performed; each failure that may be due to others leads to a later one. */
  public enum Attempt {
    WITH_OTHERS,
    /** In a transaction of its message, because it failed beside others or has no room there. */
    ALONE,
    /**
     * The same, because it or its JDBC batch timed out: one call at a time, while a watch shows
     * whether the database serves others.
     */
    WATCHED
  }

  /** Odd, with as many ones as zeros: 2^64 divided by the golden ratio. */
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private static final State WAITING = new Waiting();
  private static final State TO_BE_RECALLED = new Recalled(null, false);

  private final Request request;
  private final @Nullable Message message;
  private final @Nullable Key key;
  private final long position;
  private State state;
  private Attempt attempt = Attempt.WITH_OTHERS;

  /** The checksum of the bytes of its message. */
  long checksum;

  /** The room that it shares with the other statements of its message; null if there are none. */
  @Nullable AnswerRoom room;

  /**
   * @param message null if its envelope could not be read
   * @param key null without one, and if the statement was performed before a restart
   * @param recalled whether it was performed before a restart
   */
  public PendingStatement(
      Request request, @Nullable Message message, @Nullable Key key, boolean recalled) {
    this.request = request;
    this.message = message;
    this.key = key;
    position =
        message != null
            ? message.position()
            : request instanceof Request.Undecodable dead ? dead.position() : -1;
    state = recalled ? TO_BE_RECALLED : initial();
  }

  private State initial() {
    if (!(request instanceof Request.Undecodable dead)) {
      return WAITING;
    }
    return message == null
        ? Outcome.UNANSWERED
        : new Outcome.Failed(
            new SqlFailure("HY000", 0, SqlFailure.Kind.UNDECODABLE, dead.detail()), false);
  }

  public Request request() {
    return request;
  }

  /** The message it came with; null if its envelope could not be read. */
  public @Nullable Message message() {
    return message;
  }

  public @Nullable Key key() {
    return key;
  }

  /** The position of its message. */
  public long position() {
    return position;
  }

  public State state() {
    return state;
  }

  /** Null if it has none yet. */
  public @Nullable Outcome outcome() {
    return outcome(state);
  }

  static @Nullable Outcome outcome(State state) {
    if (state instanceof Outcome outcome) {
      return outcome; // nearly always
    }
    return switch (state) {
      case Known known -> known.outcome;
      case Recalled recalled -> recalled.outcome;
      case Waiting _, SameAs _, Outcome _ -> null;
    };
  }

  public boolean isToPerform() {
    return state == WAITING;
  }

  public boolean isRecalled() {
    return state instanceof Recalled;
  }

  /** Whether its outcome was in the out-queue before the restart. */
  public boolean isAnswered() {
    return state instanceof Recalled recalled && recalled.answered;
  }

  /** Whether it failed in this transaction, not in an earlier one. */
  public boolean failedNow() {
    return state instanceof Outcome.Failed && !(request instanceof Request.Undecodable);
  }

  /** Sets its outcome; if the answer to its message has no room for that, a failure instead. */
  public void answer(Outcome found) {
    become(fitting(found));
  }

  public void fail(SqlFailure failure) {
    answer(new Outcome.Failed(failure, request.isQuery()));
  }

  /** It has an outcome from an earlier transaction, and is not performed. */
  public void answerKnown(Outcome found) {
    become(new Known(fitting(found)));
  }

  /** It is not performed, because of what an earlier transaction performed. */
  public void failKnown(SqlFailure failure) {
    answerKnown(new Outcome.Failed(failure, request.isQuery()));
  }

  /** The same statement of the message, refused. */
  PendingStatement refused(SqlFailure why) {
    return new PendingStatement(
        new Request.Refused(request.isQuery(), why, ""), message, key, isRecalled());
  }

  public void sameAs(PendingStatement earlier) {
    become(new SameAs(earlier));
  }

  /**
   * Gives it the outcome that it had before a restart.
   *
   * @param answered whether the out-queue has it
   */
  public void recall(Outcome outcome, boolean answered) {
    become(new Recalled(outcome, answered));
  }

  /** Frees the rows of its result after they were answered. */
  public void release() {
    become(
        state instanceof Recalled recalled
            ? new Recalled(Outcome.UNANSWERED, recalled.answered)
            : Outcome.UNANSWERED);
  }

  /** Discards the outcome of a transaction that was rolled back. */
  public void undo() {
    become(initial());
  }

  private Outcome fitting(Outcome found) {
    return room == null ? found : room.fit(this, found);
  }

  private void become(State next) {
    if (room != null) {
      room.change(state, next);
    }
    state = next;
  }

  /** How many bytes its outcome may take in the answer to its message. */
  public long answerRoom() {
    return room == null ? AnswerRoom.BYTES : room.left(state);
  }

  public boolean isWatched() {
    return attempt == Attempt.WATCHED;
  }

  /** Whether its message has a transaction of its own. */
  public boolean isAlone() {
    return attempt != Attempt.WITH_OTHERS;
  }

  /** It is performed in this way from now on, or in a later one. */
  public void attempt(Attempt next) {
    attempt = next.compareTo(attempt) > 0 ? next : attempt;
  }

  /** Adds its message to a checksum that depends on the order of messages. */
  public long addTo(long checksum) {
    Message from = message;
    return from == null
        ? (checksum ^ 1) * MIX
        : ((checksum ^ from.idHigh()) * MIX ^ from.idLow() ^ from.position()) * MIX;
  }
}
