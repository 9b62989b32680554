/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.machine.Machine;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether the database can perform other work: on a separate connection it writes to the
 * ledger what a batch would write, takes it back, and commits. The probe fails if the database is
 * unavailable, stands still, is recovering, read-only or out of space.
 */
record WriteProbe(DataSource dataSource, Duration statementTimeout, Ledger ledger) {

  private static final Logger log = LoggerFactory.getLogger(WriteProbe.class);

  /** More bytes than fit on the pages left on a full disk; not compressible. */
  private static final int BYTES = 64 << 10;

  /** What another session can do now. */
  Suspicion.Others ask() {
    try (DatabaseSession session = DatabaseSession.open(dataSource, statementTimeout)) {
      write(session);
      return Suspicion.Others.WRITE;
    } catch (SQLException e) {
      return SqlErrors.of(e) == SqlErrors.STATEMENT
          ? Suspicion.Others.LEDGER_REFUSES
          : Suspicion.Others.AWAY;
    } catch (RuntimeException e) {
      return Suspicion.Others.AWAY; // of the driver, as it connects
    }
  }

  private void write(DatabaseSession session) throws SQLException {
    byte[] bytes = new byte[BYTES];
    Machine.random().nextBytes(bytes);
    session.mark();
    ledger.keep(session, new Ledger.StoredBatch(-2, -1, bytes, null, null, 0, 0));
    session.backToMark();
    session.commit(); // PostgreSQL forces its log for what was taken back, too
  }

  /** Probes until it is closed. */
  Watch watch() {
    return new Watch();
  }

  /**
   * Shows whether the database served another session all the time while a statement ran. For a
   * statement that ends soon it opens no connection. Its thread ends with its last probe.
   */
  final class Watch implements AutoCloseable {

    /** A database that serves nobody for half of the time-out stands still. */
    private static final int PART = 2;

    private static final int PROBES_PER_PART = 5;

    private final long longest = statementTimeout.toNanos() / PART;
    private volatile long servedAt = Machine.nanos();
    private volatile boolean stoodStill;
    private volatile boolean ended;
    private final Thread thread;

    private Watch() {
      thread = Machine.thread("forebay-watch").start(this::probe);
    }

    private void probe() {
      pause();
      if (ended) {
        return;
      }
      try (DatabaseSession session = DatabaseSession.open(dataSource, statementTimeout)) {
        while (!ended) {
          write(session);
          servedUntilNow();
          pause();
        }
      } catch (SQLException | RuntimeException e) {
        log.debug("The database serves no other session while a statement runs", e);
      }
    }

    private void pause() {
      long until = Machine.nanos() + longest / PROBES_PER_PART;
      while (!ended && Machine.nanos() < until) {
        Machine.park(until - Machine.nanos());
      }
    }

    private void servedUntilNow() {
      long now = Machine.nanos();
      if (now - servedAt > longest) {
        stoodStill = true;
      }
      servedAt = now;
    }

    /** Whether the database served another session all the time; known when it is closed. */
    boolean served() {
      return !stoodStill;
    }

    @Override
    public void close() {
      ended = true;
      servedUntilNow();
      LockSupport.unpark(thread);
      try {
        Machine.join(thread, Duration.ofNanos(longest));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
