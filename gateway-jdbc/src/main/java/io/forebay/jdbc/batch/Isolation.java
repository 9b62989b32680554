/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.ResultTooLarge;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.machine.Machine;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Performs the statements of a transaction that do not fail, and finds those that do: it performs
 * parts under savepoints, and parts of the part that fails, down to the statement that fails, which
 * alone is rolled back. k failures among n statements cost about k · log2(n) additional round
 * trips; about ten each if the errors name the rows.
 *
 * <p>What may be due to others in the transaction (the time that all of them share) is tried again
 * without them.
 */
final class Isolation {

  /** The SQLState of a prepared statement that the server does not know any more. */
  private static final String NOT_PREPARED = "26000";

  private static final String CONSTRAINT = "23";

  /** Raised by a function. */
  private static final String RAISED = "P0";

  private final DatabaseSession session;
  private final Performer performer;
  private final StatementTexts texts;
  private final Batch batch;
  private final List<PendingStatement> statements;
  private final Deque<List<PendingStatement>> ranges = new ArrayDeque<>();

  /** The texts that failed beside others: whether their table is plain. */
  private final Map<String, Boolean> plain = new HashMap<>();

  private List<PendingStatement> triedAgain = List.of();

  /** The smallest and the largest part that were performed, and their times. */
  private int smallest = Integer.MAX_VALUE;

  private long smallestNanos;
  private int largest;
  private long largestNanos;
  private long timedOutNanos;

  /** The first half of the range that was cut last; null if it was cut at the one that failed. */
  private @Nullable List<PendingStatement> firstHalf;

  Isolation(
      DatabaseSession session,
      Performer performer,
      StatementTexts texts,
      Batch batch,
      List<PendingStatement> statements) {
    this.session = session;
    this.performer = performer;
    this.texts = texts;
    this.batch = batch;
    this.statements = statements;
  }

  /** Performs all statements; the outcome of a failed one has the reason. */
  void perform() throws SQLException {
    cut(statements, performer.failedAt());
    session.mark();
    boolean fails = false; // a range whose first half did not fail, so the rest does
    while (!ranges.isEmpty()) {
      List<PendingStatement> range = ranges.pop();
      boolean known = fails && range.size() > 1;
      fails = false;
      if (known) {
        cut(range, -1);
        continue;
      }
      long begun = Machine.nanos();
      try {
        performer.perform(range);
        if (performer.changedForOthers(range)) {
          performer.backToMark(range);
          cut(range, -1);
        } else {
          performer.moveMark();
          performed(range.size(), Machine.nanos() - begun);
          fails = range == firstHalf;
        }
      } catch (SQLException e) {
        if (SqlErrors.of(e) != SqlErrors.STATEMENT) {
          throw e;
        }
        performer.backToMark(range);
        if (SqlFailure.of(e).kind() == SqlFailure.Kind.TIMEOUT) {
          timedOutNanos += Machine.nanos() - begun;
        }
        failed(range, e);
      }
    }
  }

  private void performed(int size, long nanos) {
    if (size <= smallest) {
      smallest = size;
      smallestNanos = nanos;
    }
    if (size >= largest) {
      largest = size;
      largestNanos = nanos;
    }
  }

  /**
   * About the time that all statements would have taken together if none had failed: each part
   * takes its round trips, and a time for each statement.
   */
  long neededNanos() {
    if (largest == 0) {
      return timedOutNanos;
    }
    long ofEach =
        smallest < largest
            ? Math.max(0, (largestNanos - smallestNanos) / (largest - smallest))
            : largestNanos / largest;
    return timedOutNanos + largestNanos + ofEach * (statements.size() - largest);
  }

  private void failed(List<PendingStatement> range, SQLException e) throws SQLException {
    PendingStatement first = range.getFirst();
    if (range.size() > 1) {
      cut(range, performer.failedAt());
    } else if (NOT_PREPARED.equals(e.getSQLState()) && range != triedAgain) {
      triedAgain = range; // now the driver prepares it again
      ranges.push(range);
    } else if (mayBeDueToOthers(first, e)) {
      throw batch.alone(first.position());
    } else {
      fail(first, e);
    }
  }

  /**
   * Whether a statement may have failed because it shares the transaction, and so the time, with
   * another one that took effect. An insert into a plain table does not depend on that.
   */
  private boolean mayBeDueToOthers(PendingStatement failed, SQLException e) throws SQLException {
    String state = SqlFailure.of(e).sqlState();
    return !failed.isAlone()
        && (state.startsWith(CONSTRAINT) || state.startsWith(RAISED))
        && statements.stream().anyMatch(it -> it.position() != failed.position() && hasEffect(it))
        && !isPlain(failed);
  }

  private static boolean hasEffect(PendingStatement statement) {
    return statement.outcome() != null && !(statement.outcome() instanceof Outcome.Failed);
  }

  /** Whether it inserts into a plain table; looked up once per text. */
  private boolean isPlain(PendingStatement failed) throws SQLException {
    String sql = failed.request().sql();
    Boolean known = plain.get(sql);
    if (known == null) {
      known = performer.isPlain(failed);
      plain.put(sql, known);
    }
    return known;
  }

  private void fail(PendingStatement statement, SQLException e) {
    FailedObject on = FailedObject.of(e);
    SqlFailure failure =
        e instanceof ResultTooLarge tooLarge ? tooLarge.failure() : SqlFailure.of(e);
    boolean explains = on != null && texts.explains(statement.request());
    statement.answer(
        new Outcome.Failed(explains ? failure.on(on) : failure, statement.request().isQuery(), on));
  }

  /**
   * Pushes what is before the failed statement, this one, and what is behind it; halves if it is
   * unknown. What is behind it may fail soon again, so it is cut: each part is twice as long as
   * what came before. Then many failures cost no more than with halves, n · log2(n) statements.
   *
   * @param failedAt its index; another number if it is unknown
   */
  private void cut(List<PendingStatement> range, int failedAt) {
    int size = range.size();
    boolean known = failedAt >= 0 && failedAt < size;
    Deque<List<PendingStatement>> parts = new ArrayDeque<>();
    int from = 0;
    int to = known ? failedAt : size / 2;
    while (from < size) {
      if (to > from) {
        parts.push(range.subList(from, to));
      }
      from = to;
      to = known && to == failedAt ? to + 1 : Math.min(size, Math.max(to + 1, 3 * to));
    }
    parts.forEach(ranges::push);
    firstHalf = known ? null : ranges.peek();
  }
}
