/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.Dialect;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.PendingStatement.Attempt;
import io.forebay.jdbc.statement.PerformAgain;
import io.forebay.jdbc.statement.Request;
import io.forebay.jdbc.statement.ResultTooLarge;
import io.forebay.jdbc.statement.SqlRules;
import io.forebay.jdbc.statement.StatementTimes;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueRefused;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Performs statements in the open transaction of a session and sets their outcomes: equal
 * neighbours as arrays or as one JDBC batch. If one fails, the caller rolls back, and {@link
 * Isolation} finds it. The update counts of a failed JDBC batch are ignored, because drivers
 * disagree about them.
 *
 * <p>A statement fails only if it would fail alone, too. So constraints that the database checks at
 * the commit are checked after each message, and one that timed out is tried again without others.
 */
final class Performer {

  private final DatabaseSession session;
  private final Duration statementTimeout;
  private final SqlRules rules;
  private final StatementTimes times;
  private final WriteProbe probe;
  private final ArrayInsert inserts;

  /** That of the transaction. */
  private Batch batch = new Batch();

  private Opening opening;
  private boolean mayChangeSession;

  /** The index of the statement where the last attempt failed, perhaps; -1 if unknown. */
  private int failedAt = -1;

  Performer(DatabaseSession session, GatewaySettings settings, SqlRules rules, WriteProbe probe) {
    this.session = session;
    this.statementTimeout = settings.statementTimeout();
    this.rules = rules;
    this.times = settings.texts().times();
    this.probe = probe;
    this.inserts = new ArrayInsert(session, rules);
    this.opening = Opening.none(session);
  }

  /** Called when a transaction begins. */
  void begin(Batch statements, Opening opening) throws SQLException {
    session.readConstraints(Machine.nanos());
    this.opening = opening;
    batch = statements;
    mayChangeSession = false;
  }

  /**
   * Performs statements in their order; throws at the first that fails. The caller then rolls back.
   */
  void perform(List<PendingStatement> statements) throws SQLException {
    failedAt = -1;
    try {
      for (int i = 0; i < statements.size(); ) {
        i = performRun(statements, i);
      }
    } catch (IllegalArgumentException | ArithmeticException | QueueRefused e) {
      // neither the driver nor a message can carry the value
      throw new SQLException(String.valueOf(e.getMessage()), "22000", e);
    }
  }

  /** The index of the statement where the last attempt failed, perhaps; -1 if unknown. */
  int failedAt() {
    return failedAt;
  }

  /** Performs equal updates, or one statement; returns the index behind it. */
  private int performRun(List<PendingStatement> statements, int start) throws SQLException {
    PendingStatement first = statements.get(start);
    if (!(first.request() instanceof Request.Single)) {
      one(first, start); // counts its time itself
      return start + 1;
    }
    int end =
        first.isWatched()
            ? start + 1
            : Request.endOfRun(i -> statements.get(i).request(), start, statements.size());
    String sql = first.request().sql();
    long from = Machine.nanos();
    try {
      if (end == start + 1) {
        one(first, start);
      } else {
        run(statements.subList(start, end), sql, start);
      }
    } finally {
      times.add(sql, end - start, Machine.nanos() - from);
    }
    return end;
  }

  /**
   * @param start the index of its first statement
   */
  private void run(List<PendingStatement> run, String sql, int start) throws SQLException {
    List<@Nullable Object[]> rows = new ArrayList<>(run.size());
    run.forEach(statement -> rows.add(((Request.Single) statement.request()).args()));
    try {
      if (inserts.insert(sql, rows, opening)) {
        run.forEach(statement -> statement.answer(Outcome.Count.of(1)));
        return; // an insert into a plain table runs no unknown function
      }
    } catch (SQLException e) {
      int row = FailedRow.index(e, rows);
      failedAt = row < 0 ? -1 : start + row;
      throw e;
    }
    runsUnknownCode();
    if (rules.isSingly(sql) || session.hasDeferred()) {
      for (int i = 0; i < run.size(); i++) {
        one(run.get(i), start + i);
      }
      return;
    }
    int[] counts = batch(sql, rows, run);
    for (int i = 0; i < counts.length; i++) {
      run.get(i).answer(Outcome.Count.of(counts[i]));
    }
  }

  /**
   * Performs a JDBC batch.
   *
   * @param of the statements that are watched from now on, if it times out
   */
  private int[] batch(String sql, List<@Nullable Object[]> rows, List<PendingStatement> of)
      throws SQLException {
    int[] counts;
    try {
      counts = session.batch(sql, rows, (prepared, row) -> Arguments.bind(prepared, row, session));
    } catch (SQLException e) {
      if (isTimeout(e)) {
        throw watched(of);
      }
      throw e;
    }
    if (Arrays.stream(counts).anyMatch(count -> count < 0)) {
      throw rules.singly(sql);
    }
    return counts;
  }

  /** A statement that timed out is tried again alone, and fails then if others are served. */
  private void one(PendingStatement statement, int index) throws SQLException {
    failedAt = index;
    long from = Machine.nanos();
    runsUnknownCode();
    WriteProbe.Watch watch = statement.isWatched() ? probe.watch() : null;
    try (watch) {
      statement.answer(outcome(statement));
      failedAt = -1;
    } catch (SQLException e) {
      if (isTimeout(e) && Machine.nanos() - from >= statementTimeout.toNanos()) {
        if (watch == null) {
          throw watched(List.of(statement));
        }
        if (!watch.served()) {
          throw new StoodStill(e);
        }
      }
      throw e;
    }
  }

  private static boolean isTimeout(SQLException e) {
    return SqlFailure.of(e).kind() == SqlFailure.Kind.TIMEOUT;
  }

  private PerformAgain watched(List<PendingStatement> statements) {
    for (PendingStatement statement : statements) {
      statement.attempt(Attempt.WATCHED);
      batch.alone(statement.position());
    }
    return new PerformAgain();
  }

  private Outcome outcome(PendingStatement statement) throws SQLException {
    Outcome outcome;
    switch (statement.request()) {
      case Request.Single(String sql, Object[] args, Class<?> type) when type == null -> {
        return Outcome.Count.of(prepare(session.withCheck(sql), args).executeLargeUpdate());
      }
      case Request.Single query -> outcome = query(statement, query);
      case Request.Together(List<Request.Single> updates) -> outcome = together(statement, updates);
      case Request.Refused _, Request.Undecodable _ ->
          throw new IllegalStateException("it has an outcome");
    }
    session.checkDeferred();
    return outcome;
  }

  private Outcome query(PendingStatement statement, Request.Single query) throws SQLException {
    PreparedStatement prepared = prepare(query.sql(), query.args());
    prepared.setMaxRows(ResultReader.MAX_ROWS + 1);
    prepared.setFetchSize(ResultReader.FIRST_ROWS);
    try (ResultSet resultSet = prepared.executeQuery()) {
      Outcome.Result result =
          ResultReader.read(
              resultSet,
              query.type(),
              statement.answerRoom() - Outcome.CALL_BYTES,
              session.dialect());
      batch.keeps(result.encoded().length, statement.position());
      return result;
    }
  }

  private Outcome together(PendingStatement statement, List<Request.Single> updates)
      throws SQLException {
    long[] counts = new long[updates.size()];
    if (statement.answerRoom() < (long) counts.length * Outcome.CALL_BYTES) {
      throw ResultTooLarge.ofMessage();
    }
    for (int i = 0; i < counts.length; ) {
      String sql = updates.get(i).sql();
      // HSQLDB is in this process or ignores the time-out of a batch.
      boolean alone =
          session.dialect() == Dialect.HSQLDB || statement.isWatched() || rules.isSingly(sql);
      int end = alone ? i + 1 : Request.endOfRun(updates::get, i, counts.length);
      long from = Machine.nanos();
      try {
        run(statement, updates.subList(i, end), counts, i);
      } finally {
        times.add(sql, end - i, Machine.nanos() - from);
      }
      i = end;
    }
    return new Outcome.Counts(counts);
  }

  /** Performs equal updates of a statement and sets their counts. */
  private void run(PendingStatement statement, List<Request.Single> run, long[] counts, int start)
      throws SQLException {
    Request.Single first = run.getFirst();
    if (run.size() == 1) {
      counts[start] = prepare(first.sql(), first.args()).executeLargeUpdate();
      return;
    }
    List<@Nullable Object[]> rows = run.stream().map(Request.Single::args).toList();
    int next = start;
    for (int count : batch(first.sql(), rows, List.of(statement))) {
      counts[next++] = count;
    }
  }

  private PreparedStatement prepare(String sql, @Nullable Object[] args) throws SQLException {
    PreparedStatement prepared = session.prepare(sql);
    Arguments.bind(prepared, args, session);
    return prepared;
  }

  /** A function or trigger may change the session now. */
  private void runsUnknownCode() throws SQLException {
    opening.lock();
    mayChangeSession = true;
    session.runsUnknownCode();
  }

  /**
   * Whether a function or trigger of one of these statements changed the session for a later one.
   */
  boolean changedForOthers(List<PendingStatement> statements) throws SQLException {
    return statements.size() > 1 && mayChangeSession && session.isChanged();
  }

  /** Keeps what was performed since the session's mark, and moves the mark. */
  void moveMark() throws SQLException {
    session.moveMark(mayChangeSession);
    mayChangeSession = false;
  }

  /** Discards what was performed since the session's mark. */
  void backToMark(List<PendingStatement> statements) throws SQLException {
    session.backToMark();
    for (PendingStatement statement : statements) {
      if (statement.outcome() instanceof Outcome.Result result) {
        batch.keeps(-result.encoded().length, statement.position());
      }
      statement.undo();
    }
  }

  /** Whether a statement inserts into a plain table, as the catalogue is now. */
  boolean isPlain(PendingStatement statement) throws SQLException {
    return statement.request() instanceof Request.Single update
        && !update.isQuery()
        && inserts.isPlain(update.sql(), update.args().length);
  }
}
