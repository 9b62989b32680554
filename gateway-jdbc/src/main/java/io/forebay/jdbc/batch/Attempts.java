/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.DatabaseSession;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the message that ends the process when it is performed.
 *
 * <p>Before the first batch of a start is performed, the ledger remembers in a small transaction
 * that it was begun; the batch's own transaction takes that back. So what the ledger remembers at
 * the next start counts how often the process ended in the middle of performing; a start that found
 * nothing to do, or a process that was stopped or killed while it waited for work, does not count.
 * From the second time on a batch is a quarter of the one before, down to one message, each is
 * written down before it is begun, and each that commits takes one off. A message is to blame if
 * the process ended at least six times, the last two times in a row while this message was
 * performed alone. For one thread.
 */
final class Attempts {

  private static final Logger log = LoggerFactory.getLogger(Attempts.class);
  private static final int BEFORE_SMALLER = 2;
  private static final int LEAST = 6;

  private final @Nullable Ledger ledger;
  private final String place;
  private int ended;
  private boolean started;
  private boolean written;
  private int maxBatch = Integer.MAX_VALUE;

  Attempts(@Nullable Ledger ledger, String place) {
    this.ledger = ledger;
    this.place = place;
  }

  /**
   * @param remembered how often the process ended while messages from this position were performed
   */
  void startAt(long position, int remembered) {
    ended = remembered;
    started = false;
    written = false;
    if (ended >= BEFORE_SMALLER) {
      log.warn(
          "The process ended while messages of {} were performed (position={}, times={}); they are"
              + " performed in smaller batches",
          place,
          position,
          ended);
    }
  }

  /** How many messages the next batch may have. */
  int atMost(int most) {
    maxBatch = most;
    return size(ended);
  }

  private int size(int times) {
    int shift = 2 * (times - BEFORE_SMALLER + 1);
    return shift <= 0 ? maxBatch : shift > 30 ? 1 : Math.max(1, maxBatch >> shift);
  }

  /** Whether the batch in hand, of one message, is failed and not performed. */
  boolean isPoison() {
    return ended >= LEAST && size(ended - 2) == 1;
  }

  /** To be called before a batch is begun, outside of a transaction; true if it wrote something. */
  boolean begin(DatabaseSession session) throws SQLException {
    if (ledger == null || written || (started && ended == 0)) {
      return false;
    }
    ledger.attempts(session, ended + 1);
    written = true;
    return true;
  }

  /** What the transaction of the batch in hand leaves in the ledger. */
  int afterCommit() {
    return Math.max(0, ended - 1);
  }

  void committed() {
    ended = afterCommit();
    started = true;
    written = false;
  }

  /** Whether the ledger says that a batch was begun that is not committed. */
  boolean isWritten() {
    return written;
  }

  /** The batch in hand did not commit, and that is not because the process ended. */
  void takeBack(DatabaseSession session) throws SQLException {
    if (ledger != null) {
      ledger.attempts(session, ended);
      written = false;
    }
  }

  /** An error was thrown that may end the process: what was written stays. */
  void keep() {
    written = false;
  }

  SqlFailure poison() {
    log.error(
        "A message of {} is failed and not performed: the process ended each time it was performed"
            + " (times={})",
        place,
        ended);
    return new SqlFailure(
        "HY000",
        0,
        SqlFailure.Kind.POISON,
        "the process ended each time it was performed (times=%d), so it is not performed"
            .formatted(ended));
  }
}
