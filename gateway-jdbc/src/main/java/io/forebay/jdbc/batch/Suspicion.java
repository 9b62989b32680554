/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.SqlFailure;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How carefully a partition performs its next messages. Any failure of a transaction raises the
 * level, until the transaction commits because its one message fails; a commit lowers it. While
 * other sessions cannot write either, no level changes: an outage is no message's fault. See
 * RATIONALE.md.
 *
 * @param until the position behind the last suspected message; its commit ends the suspicion
 * @param tries how often this level failed while other sessions could write
 * @param reason why the message fails
 */
record Suspicion(Level level, long until, int tries, @Nullable SqlFailure reason) {

  static final Suspicion NONE = new Suspicion(Level.TOGETHER, Long.MIN_VALUE, 0, null);

  /** How often a level fails with an error that comes again, or while a message fails. */
  private static final int FEW = 2;

  /** What a transaction does with messages. */
  enum Level {
    /** It performs as many as there is time for. */
    TOGETHER,
    /** It searches for the statements that fail, and performs the others. */
    ISOLATED,
    /** It performs one message. */
    ONE_MESSAGE,
    /** One message fails and is not performed. */
    FAILS,
    /** One message fails, and its keys and streams are neither read nor written. */
    FAILS_WITHOUT_KEY,
    /** One message fails, and the ledger gets nothing but the progress and its result. */
    FAILS_UNLISTED;

    private Level next() {
      return values()[ordinal() + 1];
    }
  }

  /** What another session could do after a failure. */
  enum Others {
    WRITE,
    AWAY,
    /** The ledger refuses what every batch writes. */
    LEDGER_REFUSES
  }

  /** When the next attempt begins. */
  enum Retry {
    AT_ONCE,
    /** After a pause: the database seems to be unavailable. */
    LATER,
    /** After a pause: one message fails, and others do not. */
    TRIED_AGAIN,
    /** After a pause: an operator must repair the ledger. */
    REPAIRED
  }

  /**
   * What follows from a failure.
   *
   * @param others what other sessions could do; null if nobody asked
   */
  record Next(Suspicion suspicion, Retry retry, @Nullable Others others) {}

  boolean isolates() {
    return level != Level.TOGETHER;
  }

  /** Whether each transaction has one message. */
  boolean isOfOneMessage() {
    return level.compareTo(Level.ONE_MESSAGE) >= 0;
  }

  boolean fails() {
    return level.compareTo(Level.FAILS) >= 0;
  }

  boolean readsKeys() {
    return level != Level.FAILS_WITHOUT_KEY && level != Level.FAILS_UNLISTED;
  }

  boolean isUnlisted() {
    return level == Level.FAILS_UNLISTED;
  }

  /**
   * @param to the position behind the messages that were committed
   */
  Suspicion committed(long to) {
    return !isOfOneMessage() || to >= until ? NONE : performed();
  }

  /** The next message fails, unless that is decided. */
  Suspicion failing(long to, SqlFailure why) {
    return fails() ? this : new Suspicion(Level.FAILS, Math.max(until, to), 0, why);
  }

  /**
   * @param others asks what other sessions can do
   * @param limit how often a message may fail with an error that may pass
   */
  Next failed(Failure failure, Supplier<Others> others, int limit) {
    if (failure.isOfNoMessage()) {
      return new Next(this, failure.isOfLedger() ? Retry.REPAIRED : Retry.LATER, null);
    }
    if (level == Level.TOGETHER) {
      return new Next(
          new Suspicion(Level.ISOLATED, failure.to(), 0, null),
          failure.mayPass() ? Retry.LATER : Retry.AT_ONCE,
          null);
    }
    Others asked = failure.isOfLedger() ? Others.LEDGER_REFUSES : others.get();
    return switch (asked) {
      case AWAY -> new Next(this, Retry.LATER, asked);
      case LEDGER_REFUSES -> new Next(fails() ? performed() : this, Retry.REPAIRED, asked);
      case WRITE -> failedAlone(failure, limit);
    };
  }

  /** The level of a message that is not known to fail. */
  private Suspicion performed() {
    return new Suspicion(Level.ONE_MESSAGE, until, 0, null);
  }

  private Next failedAlone(Failure failure, int limit) {
    long end = Math.max(until, failure.to());
    if (!failure.ofOneMessage()) {
      return next(new Suspicion(Level.ONE_MESSAGE, end, 0, null), Retry.AT_ONCE);
    }
    Level now = isOfOneMessage() ? level : Level.ONE_MESSAGE;
    int failed = tries + 1;
    if (failed < (fails() || !failure.mayPass() ? FEW : limit)) {
      return next(
          new Suspicion(now, end, failed, reason),
          failure.mayPass() ? Retry.TRIED_AGAIN : Retry.AT_ONCE);
    }
    if (now == Level.FAILS_UNLISTED) { // nothing of the message is left that could fail
      return next(performed(), Retry.REPAIRED);
    }
    SqlFailure why = fails() ? reason : failure.verdict(failed);
    return next(new Suspicion(now.next(), end, 0, why), Retry.AT_ONCE);
  }

  private static Next next(Suspicion suspicion, Retry retry) {
    return new Next(suspicion, retry, Others.WRITE);
  }
}
