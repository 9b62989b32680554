/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.value.Aliases;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import org.jspecify.annotations.Nullable;

/** The component of the second stage, which answers each note with a statement. */
final class SecondComponent implements Work.Answers {

  static final Protocol<JDBCStatement> STATEMENTS =
      Protocol.of(JDBCStatement.class, Aliases.none().with("row", Row.class));

  private static final String INSERT = "insert into effects (number) values (?)";

  private final ServiceHistory history;
  private final JDBCStatement statements;
  private final Watch watch;
  private @Nullable Message last;
  private long turn;

  SecondComponent(ServiceHistory history, int partition, JDBCStatement statements) {
    this.history = history;
    this.statements = statements;
    this.watch = new Watch(history, ServiceHistory.SECOND, partition);
  }

  /** A message may have several notes. */
  @Override
  public void noted(long number, long firstTurn) {
    if (Message.current() != last) {
      last = Message.current();
      turn = watch.performs(firstTurn);
      history.takesTime();
    } else {
      watch.continues();
    }
    statements.executeUpdate(INSERT, turn);
    watch.done();
  }
}
