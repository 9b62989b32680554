/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.Limits;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.machine.Machine;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the database can perform other work: on a separate connection it writes to the
 * ledger what a batch would write, and rolls back. The probe fails if the database is unavailable,
 * recovering, read-only or out of space.
 */
final class WriteProbe {

  /** More bytes than fit on the pages left on a full disk; not compressible. */
  private static final int BYTES = 64 << 10;

  private final DataSource dataSource;
  private final Limits limits;
  private final @Nullable Ledger ledger;

  WriteProbe(DataSource dataSource, Limits limits, @Nullable Ledger ledger) {
    this.dataSource = dataSource;
    this.limits = limits;
    this.ledger = ledger;
  }

  /** What another session can do now. */
  Suspicion.Others ask() {
    try (DatabaseSession session = DatabaseSession.open(dataSource, limits)) {
      if (ledger == null) {
        session.execute("values (1)");
      } else {
        byte[] bytes = new byte[BYTES];
        Machine.random().nextBytes(bytes);
        ledger.keep(
            session, new Ledger.Step(null, 0, 0), new Ledger.StoredBatch(-2, -1, bytes, null));
      }
      session.rollback();
      return Suspicion.Others.WRITE;
    } catch (SQLException e) {
      return SqlErrors.of(e) == SqlErrors.STATEMENT
          ? Suspicion.Others.LEDGER_REFUSES
          : Suspicion.Others.AWAY;
    } catch (RuntimeException e) {
      return Suspicion.Others.AWAY; // of the driver, as it connects
    }
  }
}
