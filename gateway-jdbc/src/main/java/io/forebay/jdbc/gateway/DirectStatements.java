/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Limits;
import io.forebay.jdbc.Results;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.batch.SingleTransactions;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.GatewayClock;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.Quarantine;
import io.forebay.jdbc.statement.Request;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.service.errors.BlockedMessages;
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
 * throws {@link io.forebay.service.progress.Unavailable} may have taken effect. For one thread.
 */
public final class DirectStatements implements JDBCStatement, AutoCloseable {

  private static final String NAME = "direct";

  private final JDBCResult result;
  private final StatementTexts texts = new StatementTexts(NAME, true, StatementCatalogue.NONE);
  private final SingleTransactions transactions;

  /**
   * @param dataSource connects when the first statement is performed
   * @param result is called once for each statement
   */
  public DirectStatements(DataSource dataSource, JDBCResult result) {
    this.result = result;
    this.transactions =
        new SingleTransactions(
            new GatewaySettings(
                NAME,
                texts,
                Limits.defaults(),
                Duration.ZERO,
                Duration.ZERO,
                _ -> false,
                0,
                Results.ALL,
                new LongAdder(),
                1,
                new BlockedMessages(),
                new Quarantine(),
                GatewayClock.SYSTEM,
                _ -> OptionalLong.empty(),
                null),
            dataSource);
  }

  @Override
  public void executeUpdate(String query, @Nullable Object... args) {
    perform(texts.request(query, args, null));
  }

  @Override
  public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
    perform(texts.request(query, args, resultType));
  }

  @Override
  public void executeTogether(List<Call> calls) {
    perform(texts.request(calls));
  }

  private void perform(Request request) {
    Batch batch = new Batch();
    PendingStatement statement = new PendingStatement(request, null, null, false);
    batch.add(statement);
    transactions.perform(batch);
    Objects.requireNonNull(statement.outcome()).answer(result);
  }

  @Override
  public void close() {
    transactions.close();
  }
}
