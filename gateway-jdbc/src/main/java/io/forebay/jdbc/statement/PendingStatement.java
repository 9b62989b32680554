/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.Message;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.SqlFailure;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A statement of the current batch. The objects are reused for the next batch. */
public final class PendingStatement {

  /** What was asked. */
  public enum Kind {
    UPDATE,
    QUERY,
    TOGETHER,
    DEAD_LETTER
  }

  /** How it is performed; each failure that may be due to others leads to a later one. */
  public enum Attempt {
    WITH_OTHERS,
    /** In a transaction of its message, because it violated a constraint beside others. */
    ALONE,
    /**
     * The same, because it or its JDBC batch timed out: one call at a time, while a watch shows
     * whether the database serves others.
     */
    WATCHED
  }

  private static final @Nullable Object[] NONE = {};

  /** Odd, with as many ones as zeros: 2^64 divided by the golden ratio. */
  private static final long MIX = 0x9E3779B97F4A7C15L;

  public Kind kind = Kind.UPDATE;
  public String sql = "";
  @Nullable public Object[] args = NONE;
  public List<Call> calls = List.of();
  @Nullable public Class<?> resultType;

  /** The message it came with; null without a transport. */
  @Nullable public Message message;

  /**
   * The hash of what its idempotency key identifies, see {@link RequestHash}; null without a key.
   */
  public byte @Nullable [] requestHash;

  /** The calls of its message, as received; empty without an idempotency key. */
  public List<Call> asReceived = List.of();

  /** The message id derived from its idempotency key. */
  @Nullable public UUID keyedId;

  /** Its place in a stream; it has no {@link #requestHash} then. */
  @Nullable public StreamLine line;

  @Nullable public DeadLetter deadLetter;

  /** An earlier statement of the batch with the same idempotency key. */
  @Nullable public PendingStatement duplicateOf;

  @Nullable public Outcome outcome;

  /** The constraint, table and column that it failed on, without values. */
  @Nullable public FailedObject failedOn;

  /** The room that it shares with the other statements of its message; null if there are none. */
  @Nullable AnswerRoom room;

  /** It was performed before a restart; the outcome is from the ledger. */
  public boolean recalled;

  /** Its idempotency key was used before; the outcome is the earlier one. */
  public boolean known;

  /** Why it is refused before its text is checked, for example because the text is null. */
  @Nullable public SqlFailure refusal;

  /** The reference to the catalogue that was refused. */
  @Nullable public String refusedReference;

  /** Its outcome was answered before a restart. */
  public boolean answered;

  /** Why it fails without another attempt; valid for all attempts of its batch. */
  @Nullable public SqlFailure verdict;

  public Attempt attempt = Attempt.WITH_OTHERS;

  /** The position of its message; -1 without a transport. */
  public long position() {
    if (message != null) {
      return message.position();
    }
    return deadLetter == null ? -1 : deadLetter.position();
  }

  public boolean isQuery() {
    return kind == Kind.QUERY;
  }

  boolean keyed() {
    return requestHash != null && !recalled;
  }

  boolean inStream() {
    return line != null && !recalled;
  }

  /**
   * Whether its idempotency key identifies the request with this hash. A statement that was refused
   * because its name was unknown is identified by its name.
   */
  public boolean isRequest(byte[] hash) {
    return Arrays.equals(hash, requestHash) || Arrays.equals(hash, RequestHash.asReceived(this));
  }

  /** Whether its outcome was determined in this transaction. */
  public boolean performedNow() {
    return outcome != null && !known;
  }

  /** Whether it failed in this transaction, not in an earlier one. */
  public boolean failedNow() {
    return outcome instanceof Outcome.Failed
        && kind != Kind.DEAD_LETTER
        && !recalled
        && !known
        && duplicateOf == null;
  }

  boolean toPerform() {
    return outcome == null && duplicateOf == null;
  }

  /** Adds its message to a checksum that depends on the order of messages. */
  public long addTo(long checksum) {
    Message from = message;
    return from == null
        ? (checksum ^ 1) * MIX
        : ((checksum ^ from.idHigh()) * MIX ^ from.idLow() ^ from.position()) * MIX;
  }

  public void fail(SqlFailure failure) {
    answer(new Outcome.Failed(failure, isQuery()));
  }

  /** Sets its outcome; if the answer to its message has no room for that, a failure instead. */
  public void answer(Outcome found) {
    outcome = room == null ? found : room.fit(this, found);
  }

  /** How many bytes its outcome may take in the answer to its message. */
  public long answerRoom() {
    return room == null ? AnswerRoom.BYTES : room.left(this);
  }

  /** Discards the outcome of a transaction that was rolled back. */
  void undo() {
    if (!recalled) {
      outcome = kind == Kind.DEAD_LETTER ? outcome : null;
      duplicateOf = null;
      known = false;
      failedOn = null;
    }
  }

  void clear() {
    sql = "";
    args = NONE;
    calls = List.of();
    resultType = null;
    message = null;
    requestHash = null;
    asReceived = List.of();
    keyedId = null;
    line = null;
    deadLetter = null;
    duplicateOf = null;
    outcome = null;
    failedOn = null;
    room = null;
    recalled = false;
    known = false;
    answered = false;
    refusal = null;
    refusedReference = null;
    verdict = null;
    attempt = Attempt.WITH_OTHERS;
  }
}
