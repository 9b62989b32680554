/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.batch.BatchTransaction;
import io.forebay.jdbc.batch.LockHolders;
import io.forebay.jdbc.ledger.FailureLog;
import io.forebay.jdbc.ledger.GatewayDatabase;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.ledger.ProgressRows;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.queue.MessageQueue;
import io.forebay.service.ComponentFactory;
import io.forebay.trace.Tracing;
import java.util.OptionalLong;

/** Creates the components of a gateway, and reads the progress that other instances made. */
record GatewayComponents(
    GatewaySettings settings,
    GatewayDatabase database,
    MessageQueue in,
    ProgressRows rows,
    LockHolders locks,
    Tracing tracing)
    implements ComponentFactory<JDBCStatement, JDBCResult> {

  @Override
  public JDBCStatement create(int partition, JDBCResult answers) {
    database.prepare();
    Ledger ledger = new Ledger(settings.service(), partition);
    FailureLog failures = new FailureLog(settings.service(), settings.texts(), in, partition);
    return new JDBCComponent(
        settings,
        answers,
        ledger,
        new BatchTransaction(
            settings,
            database.dataSource(),
            ledger,
            partition,
            failures,
            locks,
            position -> in.awaitSafe(partition, position)),
        new BatchSpans(tracing, in.name()));
  }

  @Override
  public OptionalLong progress(int partition, OptionalLong first) {
    return rows.next(partition, first);
  }
}
