/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.PerformAgain;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Performs the statements of a message in one transaction, without a ledger. For one thread. */
public final class SingleTransactions implements AutoCloseable {

  private final GatewaySettings settings;
  private final PartitionSession session;

  public SingleTransactions(GatewaySettings settings, DataSource dataSource) {
    Ledger none = new Ledger(settings.service(), 0);
    this.settings = settings;
    this.session =
        new PartitionSession(
            settings, dataSource, new WriteProbe(dataSource, settings.limits(), none));
  }

  /**
   * Performs a batch; each statement has its outcome then.
   *
   * @throws Unavailable if the database is, or did not answer the COMMIT
   */
  public void perform(Batch batch) {
    boolean done = false;
    while (!done) {
      try {
        DatabaseSession current = session.open();
        batch.undo();
        session.rules().apply(batch);
        session.performer().begin(batch);
        new Isolation(
                current,
                session.performer(),
                settings.texts(),
                batch,
                batch.toPerform(settings.independent()))
            .perform();
        current.commit();
        done = true;
      } catch (PerformAgain _) {
        // with the statement watched
      } catch (StoodStill e) { // the watch needs a ledger
        batch.undo();
        batch.fail(SqlFailure.of(e));
        return;
      } catch (SQLException e) {
        throw new Unavailable("the database did not perform a transaction", e);
      } finally {
        if (!done) {
          session.giveUp();
        }
      }
    }
  }

  @Override
  public void close() {
    session.giveUp();
  }
}
