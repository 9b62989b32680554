/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.Quarantine;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the message that ends the process when it is performed.
 *
 * <p>Before the first batch after a start, a small transaction records the attempt in the ledger;
 * the transaction of the batch removes the record. So the ledger counts how often the process ended
 * while it performed a batch. A start without work does not count, and neither does a process that
 * was stopped or killed while it waited for work. From the second attempt on, each message has a
 * transaction of its own ({@link Suspicion}); each attempt is recorded before it begins, and each
 * commit decrements the count. So a message is poison if the process ended at least six times, the
 * last two in a row while it performed this message alone.
 *
 * <p>A process ends for all of its partitions. So from the second attempt on, a partition performs
 * in {@link Quarantine}: only what it performs can have ended the process.
 *
 * <p>For one thread.
 */
final class Attempts {

  private static final Logger log = LoggerFactory.getLogger(Attempts.class);
  private static final int BEFORE_ALONE = 2;
  private static final int LEAST = 6;

  private final Ledger ledger;
  private final String place;
  private final Quarantine quarantine;
  private final PartitionSession session;
  private long next;
  private int ended;
  private boolean started;
  private boolean written;

  Attempts(GatewaySettings settings, int partition, Ledger ledger, PartitionSession session) {
    this.ledger = ledger;
    this.place = "partition " + partition + " of service " + settings.service();
    this.quarantine = settings.quarantine();
    this.session = session;
  }

  /**
   * @param remembered how often the process ended while it performed messages from this position
   */
  void startAt(long position, int remembered) {
    next = position;
    ended = remembered;
    started = false;
    written = false;
    if (isSuspect()) {
      log.warn(
          "The process ended while it performed messages of {} (position={},"
              + " times={}); they are now performed one by one",
          place,
          position,
          ended);
    }
  }

  /** Whether the next message fails without being performed. */
  boolean isPoison() {
    return ended >= LEAST;
  }

  /**
   * Begins an attempt.
   *
   * @throws Unavailable if another partition has to perform before
   */
  void enter() {
    if (!quarantine.enter(this, isSuspect())) {
      throw new Unavailable(
          place + " waits: messages may have ended the process, and are performed alone", null);
    }
  }

  /** Ends an attempt. If it was not committed, others may end the process before the next one. */
  void leave() {
    try {
      if (isSuspect()) {
        takeBack();
      }
    } finally {
      quarantine.leave(this);
    }
  }

  /** Whether the next messages may end the process. */
  boolean isSuspect() {
    return ended >= BEFORE_ALONE;
  }

  /**
   * Call before each batch, outside a transaction.
   *
   * @param suspected whether its message is
   */
  void begin(DatabaseSession current, boolean suspected) throws SQLException {
    if (!written && (!started || ended > 0 || suspected)) {
      ledger.attempts(current, next, ended + 1);
      written = true;
      current.commit();
    }
  }

  /**
   * The count that the transaction of the current batch writes to the ledger.
   *
   * @param failed whether it fails a message; the next one must end the process twice again
   */
  int afterCommit(boolean failed) {
    return Math.max(0, failed ? Math.min(ended, LEAST) - 2 : ended - 1);
  }

  /** Messages were committed, up to this position. */
  void committed(boolean failed, long position) {
    next = position;
    ended = afterCommit(failed);
    started = true;
    written = false;
  }

  /** Orderly end: the current batch failed for another reason than the end of the process. */
  void close() {
    try {
      takeBack();
    } finally {
      quarantine.giveUp(this);
    }
  }

  private void takeBack() {
    if (!written) {
      return;
    }
    try {
      DatabaseSession current = session.open();
      current.rollback();
      ledger.attempts(current, next, ended);
      current.commit();
      written = false;
    } catch (SQLException | RuntimeException e) {
      session.giveUp();
      log.debug(
          "The attempt stays recorded in the ledger; this only makes the next batches smaller", e);
    }
  }

  /** An error was thrown that may end the process: the recorded attempt stays. */
  void keep() {
    written = false;
  }

  SqlFailure poison() {
    log.error(
        "A message of {} fails without being performed again: the process ended at"
            + " each attempt (attempts={})",
        place,
        ended);
    return new SqlFailure(
        "HY000",
        0,
        SqlFailure.Kind.POISON,
        ("the process ended at each attempt to perform it (attempts=%d), so it is"
                + " not performed again")
            .formatted(ended));
  }
}
