/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.Dialect;
import io.forebay.database.SqlErrors;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.Limits;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.ResultTooLarge;
import io.forebay.jdbc.statement.SqlRules;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.queue.QueueRefused;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Performs statements in the open transaction of a session and sets their outcomes.
 *
 * <p>First it performs all together, equal neighbours as one JDBC batch. If that fails, the caller
 * rolls back and isolates the failure: it performs halves under savepoints, and halves of the half
 * that fails, down to the statement that fails, which alone is rolled back. k failures among n
 * statements cost about k · log2(n) additional round trips; about ten each if a COPY says where it
 * failed. The update counts of a failed JDBC batch are ignored, because drivers disagree about
 * them.
 */
final class Performer {

  /** The maximum memory for the results of one transaction until they are answered. */
  static final int RESULT_BYTES = 8 << 20;

  private final DatabaseSession session;
  private final Limits limits;
  private final SqlRules rules;
  private final StatementTexts texts;
  private final LongSupplier nanos;
  private final ArrayInsert arrayInsert;

  private long resultBytes;
  private boolean mayChangeSession;
  private boolean locating;

  /** The index of the statement where the last attempt failed, or a later one; -1 if unknown. */
  private int failedAt = -1;

  Performer(
      DatabaseSession session,
      Limits limits,
      SqlRules rules,
      StatementTexts texts,
      int copyFrom,
      LongSupplier nanos) {
    this.session = session;
    this.limits = limits;
    this.rules = rules;
    this.texts = texts;
    this.nanos = nanos;
    this.arrayInsert = new ArrayInsert(session, rules, copyFrom);
  }

  /** Performs all statements; throws at the first that fails. The caller then rolls back. */
  void together(List<PendingStatement> statements) throws SQLException {
    failedAt = -1;
    try {
      perform(statements);
    } catch (IllegalArgumentException | ArithmeticException | QueueRefused e) {
      // neither the driver nor a message can carry the value
      throw new SQLException(String.valueOf(e.getMessage()), "22000", e);
    }
  }

  private void perform(List<PendingStatement> statements) throws SQLException {
    for (int i = 0; i < statements.size(); ) {
      PendingStatement statement = statements.get(i);
      switch (statement.kind) {
        case UPDATE -> {
          int end = endOfRun(statements, i);
          long from = nanos.getAsLong();
          try {
            run(statements.subList(i, end), i);
          } finally {
            texts.times().add(statement.sql, end - i, nanos.getAsLong() - from);
          }
          i = end;
        }
        case QUERY, TOGETHER -> {
          one(statement);
          i++;
          if (resultBytes > RESULT_BYTES && i < statements.size()) {
            throw new ResultsFull(i);
          }
        }
        case DEAD_LETTER -> i++;
      }
    }
  }

  /** A statement that timed out is not tried a second time, unless it was a batch of calls. */
  private void one(PendingStatement statement) throws SQLException {
    long from = nanos.getAsLong();
    boolean apart = statement.apart;
    runsUnknownCode();
    try {
      statement.outcome =
          switch (statement.kind) {
            case QUERY -> timedQuery(statement, from);
            case TOGETHER -> calls(statement);
            default -> Outcome.Count.of(update(statement.sql, statement.args));
          };
    } catch (SQLException e) {
      boolean timeout = SqlFailure.of(e).kind() == SqlFailure.Kind.TIMEOUT;
      if (timeout
          && apart == statement.apart
          && nanos.getAsLong() - from >= limits.statementTimeout().toNanos()) {
        statement.verdict = SqlFailure.of(e);
      }
      throw e;
    }
  }

  /** A function or trigger may change the session now. */
  private void runsUnknownCode() {
    mayChangeSession = true;
    session.runsUnknownCode();
  }

  /**
   * Performs all statements; the outcome of a failed one has the reason. Skips statements with a
   * verdict.
   */
  void isolated(List<PendingStatement> statements) throws SQLException {
    Deque<List<PendingStatement>> ranges = new ArrayDeque<>();
    parts(statements, ranges);
    session.mark();
    locating = true;
    while (!ranges.isEmpty()) {
      List<PendingStatement> range = ranges.pop();
      if (range.size() > 1 && range.stream().anyMatch(s -> s.verdict != null || s.apart)) {
        halves(range, ranges);
        continue;
      }
      SqlFailure verdict = range.getFirst().verdict;
      if (verdict != null) {
        range.getFirst().fail(verdict);
        continue;
      }
      boolean apart = range.getFirst().apart;
      try {
        together(range);
        if (changedForOthers(range)) {
          session.backToMark();
          range.forEach(statement -> statement.outcome = null);
          halves(range, ranges);
          continue;
        }
        session.moveMark(mayChangeSession);
        mayChangeSession = false;
      } catch (SQLException e) {
        if (SqlErrors.of(e) != SqlErrors.STATEMENT) {
          throw e;
        }
        session.backToMark();
        range.forEach(statement -> statement.outcome = null);
        if (range.size() > 1) {
          parts(range, ranges);
        } else if (!apart && range.getFirst().apart) {
          ranges.push(range); // its calls are now performed one by one
        } else {
          fail(range.getFirst(), e);
        }
      }
    }
  }

  /**
   * Whether a function or trigger of one of these statements changed the session for a later one.
   */
  boolean changedForOthers(List<PendingStatement> statements) throws SQLException {
    return statements.size() > 1 && mayChangeSession && session.isChanged();
  }

  /**
   * Pushes what is before the failed statement, this one, and what is behind it; halves if it is
   * unknown. What is behind it may fail soon again, so it is cut: each part is twice as long as
   * what came before. Then many failures cost no more than with halves, n · log2(n) statements.
   */
  private void parts(List<PendingStatement> range, Deque<List<PendingStatement>> ranges) {
    int size = range.size();
    if (failedAt < 0 || failedAt >= size) {
      halves(range, ranges);
      return;
    }
    Deque<List<PendingStatement>> parts = new ArrayDeque<>();
    if (failedAt > 0) {
      parts.push(range.subList(0, failedAt));
    }
    parts.push(range.subList(failedAt, failedAt + 1));
    for (int from = failedAt + 1; from < size; ) {
      int to = Math.min(size, 3 * from);
      parts.push(range.subList(from, to));
      from = to;
    }
    parts.forEach(ranges::push);
  }

  /** Pushes both halves so that the first is taken first. */
  private static void halves(List<PendingStatement> range, Deque<List<PendingStatement>> ranges) {
    int size = range.size();
    if (size > 1) {
      ranges.push(range.subList(size / 2, size));
    }
    if (size > 0) {
      ranges.push(range.subList(0, Math.max(1, size / 2)));
    }
  }

  private void fail(PendingStatement statement, SQLException e) {
    FailedObject on = FailedObject.of(e);
    statement.failedOn = on;
    SqlFailure failure = failure(e);
    statement.fail(on != null && texts.explains(statement) ? failure.on(on) : failure);
  }

  private static SqlFailure failure(SQLException e) {
    return e instanceof ResultTooLarge tooLarge ? tooLarge.failure() : SqlFailure.of(e);
  }

  /** The end of the calls from {@code start} on that one JDBC batch can perform. */
  private int endOfRun(PendingStatement statement, int start) {
    List<Call> calls = statement.calls;
    Call first = calls.get(start);
    int end = start + 1;
    // HSQLDB is in this process or ignores the time-out of a batch.
    if (session.dialect() == Dialect.POSTGRESQL
        && !statement.apart
        && !rules.isSingly(first.sql())) {
      while (end < calls.size()
          && calls.get(end).sql().equals(first.sql())
          && calls.get(end).args().size() == first.args().size()) {
        end++;
      }
    }
    return end;
  }

  private static int endOfRun(List<PendingStatement> statements, int start) {
    PendingStatement first = statements.get(start);
    int end = start + 1;
    while (end < statements.size()) {
      PendingStatement next = statements.get(end);
      if (next.kind != PendingStatement.Kind.UPDATE
          || !next.sql.equals(first.sql)
          || next.args.length != first.args.length) {
        break;
      }
      end++;
    }
    return end;
  }

  /**
   * @param start the index of its first statement
   */
  private void run(List<PendingStatement> run, int start) throws SQLException {
    PendingStatement first = run.getFirst();
    if (run.size() == 1) {
      one(first);
      return;
    }
    try {
      if (arrayInsert.insert(run, locating)) {
        return; // an insert into a plain table runs no unknown function
      }
    } catch (SQLException e) {
      int row = CopyInsert.failedRow(e);
      failedAt = row < 0 ? -1 : start + row;
      throw e;
    }
    runsUnknownCode();
    if (rules.isSingly(first.sql)) {
      for (PendingStatement statement : run) {
        one(statement);
      }
      return;
    }
    int[] counts =
        batch(
            first.sql,
            run.size(),
            i -> run.get(i).args,
            () -> run.forEach(statement -> statement.apart = true));
    for (int i = 0; i < counts.length; i++) {
      run.get(i).outcome = Outcome.Count.of(counts[i]);
    }
  }

  /**
   * Performs a JDBC batch.
   *
   * @param apart called if each must be performed apart: together they took longer than one may
   *     take, or are not counted
   */
  private int[] batch(
      String sql, int size, IntFunction<@Nullable Object[]> arguments, Runnable apart)
      throws SQLException {
    PreparedStatement prepared = session.prepare(sql);
    addToBatch(prepared, sql, size, arguments);
    int[] counts;
    try {
      counts = executeBatch(prepared);
    } catch (SQLException e) {
      if (SqlFailure.of(e).kind() == SqlFailure.Kind.TIMEOUT) {
        apart.run();
      }
      throw e;
    }
    if (Arrays.stream(counts).anyMatch(count -> count < 0)) {
      apart.run();
      throw rules.singly(sql);
    }
    return counts;
  }

  private void addToBatch(
      PreparedStatement prepared, String sql, int size, IntFunction<@Nullable Object[]> arguments)
      throws SQLException {
    try {
      for (int i = 0; i < size; i++) {
        bind(prepared, arguments.apply(i));
        prepared.addBatch();
      }
    } catch (SQLException | RuntimeException e) {
      try {
        session.discard(sql); // HSQLDB cannot take back a batch that was begun
      } catch (SQLException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private static int[] executeBatch(PreparedStatement prepared) throws SQLException {
    try {
      return prepared.executeBatch();
    } catch (SQLException e) {
      prepared.clearBatch();
      SQLException cause = e.getNextException(); // the driver's error, with its SQLState
      throw cause != null && e.getSQLState() == null ? cause : e;
    }
  }

  private long update(String sql, @Nullable Object[] args) throws SQLException {
    PreparedStatement prepared = session.prepare(sql);
    bind(prepared, args);
    return prepared.executeLargeUpdate();
  }

  private Outcome calls(PendingStatement statement) throws SQLException {
    long[] counts = new long[statement.calls.size()];
    for (int i = 0; i < counts.length; ) {
      int end = endOfRun(statement, i);
      String sql = statement.calls.get(i).sql();
      long from = nanos.getAsLong();
      try {
        run(statement, i, end, counts);
      } finally {
        texts.times().add(sql, end - i, nanos.getAsLong() - from);
      }
      i = end;
    }
    return new Outcome.Counts(counts);
  }

  /** Performs the calls in [start, end), which are equal, and sets their counts. */
  private void run(PendingStatement statement, int start, int end, long[] counts)
      throws SQLException {
    Call first = statement.calls.get(start);
    if (end == start + 1) {
      counts[start] = update(first.sql(), first.args().toArray());
      return;
    }
    List<Call> run = statement.calls.subList(start, end);
    int next = start;
    for (int count :
        batch(
            first.sql(),
            run.size(),
            number -> run.get(number).args().toArray(),
            () -> statement.apart = true)) {
      counts[next++] = count;
    }
  }

  /** The result of one query, outside a batch. */
  Outcome queryAlone(PendingStatement query) throws SQLException {
    together(List.of(query));
    return Objects.requireNonNull(query.outcome);
  }

  /** Called when a transaction begins. */
  void begin() {
    resultBytes = 0;
    mayChangeSession = false;
    locating = false;
  }

  /** The used share of the memory for the results of a transaction. */
  double resultsFill() {
    return (double) resultBytes / RESULT_BYTES;
  }

  /**
   * @param from when it began
   */
  private Outcome timedQuery(PendingStatement statement, long from) throws SQLException {
    try {
      return query(statement);
    } finally {
      texts.times().add(statement.sql, 1, nanos.getAsLong() - from);
    }
  }

  private Outcome query(PendingStatement statement) throws SQLException {
    PreparedStatement prepared = session.prepare(statement.sql);
    bind(prepared, statement.args);
    prepared.setMaxRows(limits.maxRows() + 1);
    prepared.setFetchSize(ResultReader.FIRST_ROWS);
    try (ResultSet resultSet = prepared.executeQuery()) {
      Outcome.Result result =
          ResultReader.read(resultSet, statement.resultType, limits, session.dialect());
      resultBytes += result.encoded().length;
      return result;
    }
  }

  private void bind(PreparedStatement prepared, @Nullable Object[] args) throws SQLException {
    Connection connection = session.connection();
    for (int i = 0; i < args.length; i++) {
      Arguments.bind(prepared, i + 1, args[i], connection, session.dialect());
    }
  }
}
