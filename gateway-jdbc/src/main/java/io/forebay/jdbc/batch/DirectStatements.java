/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Results;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewayClock;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.PerformAgain;
import io.forebay.jdbc.statement.Quarantine;
import io.forebay.jdbc.statement.Request;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.service.errors.BlockedMessages;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Performs statements without a queue, for example in a test of what sends them: each call in a
 * transaction of its own, and with its result before it returns. It keeps no ledger, so a call that
 * throws {@link Unavailable} may have taken effect. For one thread.
 */
public final class DirectStatements implements JDBCStatement, AutoCloseable {

  private static final String NAME = "direct";

  private final JDBCResult result;
  private final GatewaySettings settings =
      new GatewaySettings(
          NAME,
          new StatementTexts(NAME, true, StatementCatalogue.NONE),
          GatewaySettings.DEFAULT_STATEMENT_TIMEOUT,
          Duration.ZERO,
          Duration.ZERO,
          Results.ALL,
          new LongAdder(),
          1,
          new BlockedMessages(),
          new Quarantine(),
          GatewayClock.SYSTEM,
          _ -> OptionalLong.empty(),
          null);
  private final PartitionSession session;

  /**
   * @param dataSource connects when the first statement is performed
   * @param result is called once for each statement
   */
  public DirectStatements(DataSource dataSource, JDBCResult result) {
    this.result = result;
    Ledger none = new Ledger(NAME, 0);
    session =
        new PartitionSession(
            settings, dataSource, new WriteProbe(dataSource, settings.statementTimeout(), none));
  }

  @Override
  public void executeUpdate(String query, @Nullable Object... args) {
    perform(settings.texts().request(query, args, null));
  }

  @Override
  public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
    perform(settings.texts().request(query, args, resultType));
  }

  @Override
  public void executeTogether(List<Call> calls) {
    perform(settings.texts().request(calls));
  }

  private void perform(Request request) {
    Batch batch = new Batch();
    PendingStatement statement = new PendingStatement(request, null, null, false);
    batch.add(statement);
    perform(batch);
    Objects.requireNonNull(statement.outcome()).answer(result);
  }

  /**
   * @throws Unavailable if the database is, or did not answer the COMMIT
   */
  private void perform(Batch batch) {
    boolean done = false;
    while (!done) {
      try {
        DatabaseSession current = session.open();
        batch.undo();
        session.rules().apply(batch);
        session.performer().begin(batch, Opening.none(current));
        new Isolation(
                current,
                session.performer(),
                settings.texts(),
                batch,
                batch.toPerform(settings.texts()))
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
