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
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.PendingStatement.Attempt;
import io.forebay.jdbc.statement.PerformAgain;
import io.forebay.jdbc.statement.ResultTooLarge;
import io.forebay.jdbc.statement.ResultsFull;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 *
 * <p>A statement fails only if it would fail alone, too. So constraints that the database checks at
 * the commit are checked after each message, and what may be due to others in the transaction (the
 * time that all of them share; a time-out) is tried again without them.
 */
final class Performer {

  /** The SQLState of a prepared statement that the server does not know any more. */
  private static final String NOT_PREPARED = "26000";

  private static final String CONSTRAINT = "23";

  /** Raised by a function. */
  private static final String RAISED = "P0";

  private final DatabaseSession session;
  private final Limits limits;
  private final SqlRules rules;
  private final StatementTexts texts;
  private final LongSupplier nanos;
  private final WriteProbe probe;
  private final ArrayInsert arrayInsert;

  /** How many bytes the results of the transaction take, and whether they are limited. */
  /** The texts of this transaction that failed beside others: whether their table is plain. */
  private final Map<String, Boolean> plainNow = new HashMap<>();

  private long resultBytes;

  private boolean oneMessage;
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
      LongSupplier nanos,
      WriteProbe probe) {
    this.session = session;
    this.limits = limits;
    this.rules = rules;
    this.texts = texts;
    this.nanos = nanos;
    this.probe = probe;
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
          if (resultBytes > Batch.KEPT_BYTES && !oneMessage) {
            throw new ResultsFull(statement.position());
          }
        }
        case DEAD_LETTER -> i++;
      }
    }
  }

  /** A statement that timed out is tried again alone, and fails then if others are served. */
  private void one(PendingStatement statement) throws SQLException {
    long from = nanos.getAsLong();
    runsUnknownCode();
    WriteProbe.Watch watch = statement.attempt == Attempt.WATCHED ? probe.watch() : null;
    try (watch) {
      statement.outcome =
          switch (statement.kind) {
            case QUERY -> timedQuery(statement, from);
            case TOGETHER -> calls(statement);
            default -> Outcome.Count.of(update(session.withCheck(statement.sql), statement.args));
          };
      if (statement.kind != PendingStatement.Kind.UPDATE) {
        session.checkDeferred();
      }
    } catch (SQLException e) {
      if (isTimeout(e) && nanos.getAsLong() - from >= limits.statementTimeout().toNanos()) {
        if (watch == null) {
          throw watched(List.of(statement));
        }
        if (!watch.served()) {
          throw new StoodStill(e);
        }
        statement.verdict = SqlFailure.of(e);
      }
      throw e;
    }
  }

  private static boolean isTimeout(SQLException e) {
    return SqlFailure.of(e).kind() == SqlFailure.Kind.TIMEOUT;
  }

  private static PerformAgain watched(List<PendingStatement> statements) {
    statements.forEach(statement -> statement.attempt = Attempt.WATCHED);
    return new PerformAgain();
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
    List<PendingStatement> triedAgain = List.of();
    parts(statements, ranges);
    session.mark();
    locating = true;
    while (!ranges.isEmpty()) {
      List<PendingStatement> range = ranges.pop();
      if (range.size() > 1 && range.stream().anyMatch(s -> s.verdict != null)) {
        halves(range, ranges);
        continue;
      }
      SqlFailure verdict = range.getFirst().verdict;
      if (verdict != null) {
        range.getFirst().fail(verdict);
        continue;
      }
      try {
        together(range);
        if (changedForOthers(range)) {
          backToMark(range);
          halves(range, ranges);
          continue;
        }
        session.moveMark(mayChangeSession);
        mayChangeSession = false;
      } catch (SQLException e) {
        if (SqlErrors.of(e) != SqlErrors.STATEMENT) {
          throw e;
        }
        backToMark(range);
        PendingStatement first = range.getFirst();
        if (range.size() > 1) {
          parts(range, ranges);
        } else if (NOT_PREPARED.equals(e.getSQLState()) && range != triedAgain) {
          triedAgain = range; // now the driver prepares it again
          ranges.push(range);
        } else if (mayBeDueToOthers(first, statements, e)) {
          first.attempt = Attempt.ALONE;
          throw new PerformAgain();
        } else {
          fail(first, e);
        }
      }
    }
  }

  private void backToMark(List<PendingStatement> range) throws SQLException {
    session.backToMark();
    for (PendingStatement statement : range) {
      if (statement.outcome instanceof Outcome.Result result) {
        resultBytes -= result.encoded().length;
      }
      statement.outcome = null;
    }
  }

  /**
   * Whether a statement may have failed because it shares the transaction, and so the time, with
   * another one that took effect. An insert into a plain table does not depend on that.
   */
  private boolean mayBeDueToOthers(
      PendingStatement failed, List<PendingStatement> statements, SQLException e)
      throws SQLException {
    String state = SqlFailure.of(e).sqlState();
    return failed.attempt == Attempt.WITH_OTHERS
        && (state.startsWith(CONSTRAINT) || state.startsWith(RAISED))
        && statements.stream().anyMatch(it -> it.position() != failed.position() && hasEffect(it))
        && !isPlain(failed);
  }

  /** Whether it inserts into a plain table; looked up once per text and transaction. */
  private boolean isPlain(PendingStatement failed) throws SQLException {
    Boolean plain = plainNow.get(failed.sql);
    if (plain == null) {
      plain = arrayInsert.isPlain(failed);
      plainNow.put(failed.sql, plain);
    }
    return plain;
  }

  private static boolean hasEffect(PendingStatement statement) {
    return statement.outcome != null && !(statement.outcome instanceof Outcome.Failed);
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
        && statement.attempt != Attempt.WATCHED
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
    while (end < statements.size() && first.attempt != Attempt.WATCHED) {
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
    if (rules.isSingly(first.sql) || session.hasDeferred()) {
      for (PendingStatement statement : run) {
        one(statement);
      }
      return;
    }
    int[] counts = batch(first.sql, run.size(), i -> run.get(i).args, run);
    for (int i = 0; i < counts.length; i++) {
      run.get(i).outcome = Outcome.Count.of(counts[i]);
    }
  }

  /**
   * Performs a JDBC batch.
   *
   * @param of the statements that are watched from now on, if it times out
   */
  private int[] batch(
      String sql, int size, IntFunction<@Nullable Object[]> arguments, List<PendingStatement> of)
      throws SQLException {
    int[] counts;
    try {
      counts = executeBatch(sql, size, arguments);
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

  /** A prepared statement whose batch failed is not used again: HSQLDB may keep what was added. */
  private int[] executeBatch(String sql, int size, IntFunction<@Nullable Object[]> arguments)
      throws SQLException {
    try {
      PreparedStatement prepared = session.prepare(sql);
      for (int i = 0; i < size; i++) {
        bind(prepared, arguments.apply(i));
        prepared.addBatch();
      }
      return prepared.executeBatch();
    } catch (SQLException | RuntimeException e) {
      try {
        session.discard(sql);
      } catch (SQLException suppressed) {
        e.addSuppressed(suppressed);
      }
      if (e instanceof SQLException failure
          && failure.getSQLState() == null
          && failure.getNextException() != null) {
        throw failure.getNextException(); // the driver's error, with its SQLState
      }
      throw e;
    }
  }

  private long update(String sql, @Nullable Object[] args) throws SQLException {
    PreparedStatement prepared = session.prepare(sql);
    bind(prepared, args);
    return prepared.executeLargeUpdate();
  }

  private Outcome calls(PendingStatement statement) throws SQLException {
    long[] counts = new long[statement.calls.size()];
    if (statement.answerRoom() < (long) counts.length * Outcome.CALL_BYTES) {
      throw ResultTooLarge.ofMessage();
    }
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
        batch(first.sql(), run.size(), i -> run.get(i).args().toArray(), List.of(statement))) {
      counts[next++] = count;
    }
  }

  /**
   * Called when a transaction begins.
   *
   * @param one whether all its statements are of one message
   * @param bytes of the results that it has already
   */
  void begin(boolean one, long bytes) throws SQLException {
    session.readConstraints(nanos.getAsLong());
    oneMessage = one;
    resultBytes = bytes;
    plainNow.clear();
    mayChangeSession = false;
    locating = false;
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
          ResultReader.read(
              resultSet,
              statement.resultType,
              limits,
              statement.answerRoom() - Outcome.CALL_BYTES,
              session.dialect());
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
