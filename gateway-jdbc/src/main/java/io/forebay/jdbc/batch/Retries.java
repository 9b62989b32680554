/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.Pieces;
import io.forebay.machine.Machine;
import io.forebay.service.progress.LockNotAvailable;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.Formats;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a partition retries: it holds the level of suspicion, and shows operators what it waits for.
 * For one thread.
 */
public final class Retries {

  private static final Logger log = LoggerFactory.getLogger(Retries.class);

  private final GatewaySettings settings;
  private final int partition;
  private final WriteProbe probe;
  private Suspicion suspicion = Suspicion.NONE;
  private boolean lockAwaited;
  private String lastLedgerError = "";

  Retries(GatewaySettings settings, int partition, WriteProbe probe) {
    this.settings = settings;
    this.partition = partition;
    this.probe = probe;
  }

  Suspicion suspicion() {
    return suspicion;
  }

  /** A message before that position may end the process. */
  void suspect(long until) {
    suspicion = new Suspicion(Suspicion.Level.ONE_MESSAGE, until, 0, null);
  }

  /** Whether the latest attempt waited for a lock, so that the next one is no return. */
  boolean isLockAwaited() {
    return lockAwaited;
  }

  /** The messages before that position are committed. */
  void committed(long to) {
    lockAwaited = false;
    suspicion = suspicion.committed(to);
    settings.blocked().free(partition);
    lastLedgerError = "";
  }

  /** Whether an operator decided that a message fails which has failed before. */
  boolean isFailedByOperator(Pieces.Piece first) {
    String reason = settings.blocked().verdict(partition, first.from());
    if (reason == null) {
      return false;
    }
    fail(
        first,
        new SqlFailure("HY008", 0, SqlFailure.Kind.GIVEN_UP, "an operator failed it: " + reason));
    return true;
  }

  /** The message fails, whatever the reasons for it were. */
  void fail(Pieces.Piece message, SqlFailure reason) {
    suspicion = suspicion.failing(message.to(), reason);
  }

  /**
   * Raises the level; returns if the rest of the batch is to be retried at once. A message that
   * waits for a lock is retried until the lock is free: that is no fault of the message.
   *
   * @throws Unavailable if it is to be retried later
   */
  void failed(Failure failure, Pieces.Piece piece) {
    if (failure.isDefect()) {
      log.warn(
          "A transaction of service {} threw (partition={}, position={}, step={})",
          settings.service(),
          partition,
          piece.from(),
          failure.step(),
          failure.error().getCause());
    }
    if (failure.waitedForLock()) {
      settings.blocked().freeUndecided(partition);
      throw away(failure);
    }
    boolean stoodStill = failure.error() instanceof StoodStill;
    Suspicion.Next next =
        suspicion.failed(
            failure, () -> stoodStill ? Suspicion.Others.AWAY : probe.ask(), settings.tries());
    suspicion = next.suspicion();
    Suspicion.Others others = next.others();
    if (others != null && failure.ofOneMessage() && piece.statements().size() > 0) {
      show(failure, others, piece.from());
    }
    switch (next.retry()) {
      case AT_ONCE -> {}
      case LATER -> throw away(failure);
      case TRIED_AGAIN -> throw failsAgain(failure, piece.from(), suspicion.tries());
      case REPAIRED -> throw ledgerFails(failure.error());
    }
  }

  /**
   * Shows a message that fails alone; then an operator can fail it. An outage is shown only if it
   * began while the message was performed.
   */
  private void show(Failure failure, Suspicion.Others others, long position) {
    boolean write = others == Suspicion.Others.WRITE;
    if (others == Suspicion.Others.LEDGER_REFUSES
        || !write && failure.step() == Failure.Step.BEGIN) {
      return;
    }
    settings
        .blocked()
        .block(
            partition,
            position,
            "SQLState %s; the database performs %s"
                .formatted(
                    failure.error().getSQLState(),
                    write ? "other statements" : "no other statements either"),
            Machine.now());
  }

  Unavailable failsAgain(Failure failure, long position, int tries) {
    return new Unavailable(
        ("a statement of service %s fails repeatedly while the database performs"
                + " others (partition=%d, position=%d, SQLState %s, tries=%d, limit=%d); it"
                + " is retried, and fails for good after the last try")
            .formatted(
                settings.service(),
                partition,
                position,
                failure.error().getSQLState(),
                tries,
                settings.tries()),
        failure.error());
  }

  /** Quotes the driver's message if there is no connection; otherwise it may contain values. */
  Unavailable away(Failure failure) {
    SQLException e = failure.error();
    lockAwaited = failure.isOfLock();
    if (lockAwaited) {
      return new LockNotAvailable(
          "service %s waits for a lock of another session (SQLState 55P03); it is retried until the lock is free"
              .formatted(settings.service()),
          e);
    }
    String text =
        failure.step() == Failure.Step.CONNECT
            ? ": " + Formats.clause(String.valueOf(e.getMessage()))
            : "";
    return new Unavailable(
        "the database of service %s is unavailable (SQLState %s%s)"
            .formatted(settings.service(), e.getSQLState(), text),
        e);
  }

  /**
   * The message of an error of class 42 contains names of tables, columns and privileges, but no
   * values.
   */
  Unavailable ledgerFails(SQLException e) {
    String state = SqlFailure.of(e).sqlState();
    String message =
        ("the ledger of service %s cannot be read or written (SQLState %s%s); the"
                + " database responds, but schema forebay is damaged, see docs/operations.md")
            .formatted(
                settings.service(), state, state.startsWith("42") ? ": " + e.getMessage() : "");
    if (!message.equals(lastLedgerError)) {
      lastLedgerError = message;
      log.error("Ledger damaged: {}; nothing is performed until an operator repairs it", message);
    }
    return new Unavailable(message, e);
  }
}
