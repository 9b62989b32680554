/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.ledger.FailureLog;
import io.forebay.jdbc.ledger.IdempotencyKeys;
import io.forebay.jdbc.ledger.KeyRetention;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.ledger.Streams;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import java.sql.SQLException;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what a batch leaves in the ledger beside its progress: outcomes, idempotency keys and
 * failed messages; and deletes what has expired. For one thread.
 */
final class Bookkeeping implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Bookkeeping.class);
  private static final int PRUNE_EVERY = 16;

  private final GatewaySettings settings;
  private final Ledger ledger;
  private final FailureLog failures;
  private final int partition;
  private final IdempotencyKeys idempotencyKeys;
  private final Streams streams;
  private final KeyRetention keys;
  private int batchesSincePruned;

  Bookkeeping(GatewaySettings settings, Ledger ledger, FailureLog failures, int partition) {
    this.settings = settings;
    this.ledger = ledger;
    this.failures = failures;
    this.partition = partition;
    idempotencyKeys = new IdempotencyKeys(settings.service(), partition);
    streams = new Streams(settings.service(), partition);
    keys = new KeyRetention(settings, partition);
  }

  /** Gives the statements that were performed before their outcome; none if the batch is empty. */
  void recognise(DatabaseSession session, Batch batch) throws SQLException {
    idempotencyKeys.recognise(session, batch);
    streams.recognise(session, batch);
  }

  /**
   * Writes all but the outcomes, and gives repeated statements of the batch theirs.
   *
   * @param to the position after its last message
   * @param answered every result before it is safe in the out-queue
   * @param lists whether failed messages are listed
   */
  void keep(DatabaseSession session, Batch batch, long to, long answered, boolean lists)
      throws SQLException {
    Instant time = keys.now(session);
    idempotencyKeys.remember(session, time);
    streams.remember(session, time);
    if (!lists) {
      log.error(
          "A failed message of service {} is not listed (partition={}, position={}): the ledger"
              + " does not take it",
          settings.service(),
          partition,
          batch.size() == 0 ? to - 1 : batch.get(0).position());
      return;
    }
    Instant now = settings.clock().wall().instant();
    failures.keep(session, batch, now);
    if (++batchesSincePruned >= PRUNE_EVERY && answered > 0) {
      ledger.prune(session, answered);
      batchesSincePruned = 0;
    }
    Instant passed = keys.passed(session, time, to);
    if (passed != null) {
      idempotencyKeys.forget(session, passed.minus(settings.requestsKept()));
      streams.forget(session, passed.minus(settings.requestsKept()));
      failures.forget(session, keys.earlier(passed).minus(settings.failuresKept()));
    }
  }

  @Override
  public void close() {
    failures.close();
  }
}
