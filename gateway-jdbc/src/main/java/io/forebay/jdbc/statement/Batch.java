/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.Message;
import io.forebay.jdbc.SqlFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The statements that were read together, in order, and how many of them are committed. Reused; for
 * one thread.
 */
public final class Batch {

  /** The most bytes of the outcomes that one transaction keeps, unless it is one message. */
  public static final int KEPT_BYTES = 1 << 20;

  private final List<PendingStatement> statements;
  private int size;
  private int committed;

  public Batch() {
    statements = new ArrayList<>();
  }

  private Batch(List<PendingStatement> statements) {
    this.statements = statements;
    size = statements.size();
  }

  public PendingStatement add(PendingStatement.Kind kind) {
    if (size == statements.size()) {
      statements.add(new PendingStatement());
    }
    PendingStatement statement = statements.get(size++);
    statement.kind = kind;
    return statement;
  }

  /**
   * Adds a statement of this message, or a part of it that was added before. A message with too
   * many statements is refused as a whole: its first statement stays and is refused.
   */
  public PendingStatement add(PendingStatement.Kind kind, Message message) {
    PendingStatement before = size == 0 ? null : statements.get(size - 1);
    if (before == null || before.message != message) {
      PendingStatement statement = add(kind);
      statement.message = message;
      return statement;
    }
    if (before.refusal == AnswerRoom.TOO_MANY_STATEMENTS) {
      return new PendingStatement(); // of no batch
    }
    PendingStatement statement = add(kind);
    statement.message = message;
    share(before, statement);
    return statement;
  }

  private void share(PendingStatement before, PendingStatement statement) {
    AnswerRoom room = before.room == null ? new AnswerRoom(before) : before.room;
    before.room = room;
    statement.room = room;
    room.add(statement);
    if (room.statements() > AnswerRoom.MAX_STATEMENTS) {
      int first = size - room.statements();
      while (size > first + 1) {
        statements.get(--size).clear();
      }
      statements.get(first).room = null;
      statements.get(first).refusal = AnswerRoom.TOO_MANY_STATEMENTS;
    }
  }

  public PendingStatement get(int index) {
    return statements.get(index);
  }

  public int size() {
    return size;
  }

  public void clear() {
    for (int i = 0; i < size; i++) {
      statements.get(i).clear();
    }
    size = 0;
    committed = 0;
  }

  /** The index behind the last statement of the message whose first statement has that index. */
  int endOfMessage(int first) {
    long position = statements.get(first).position();
    int end = first + 1;
    while (end < size && statements.get(end).position() == position) {
      end++;
    }
    return end;
  }

  /** Whether all statements are of one message. */
  public boolean isOneMessage() {
    return size == 0 || statements.get(0).position() == statements.get(size - 1).position();
  }

  /** The statements from one index up to another, for a transaction of their own. */
  Batch part(int from, int to) {
    return new Batch(statements.subList(from, to));
  }

  /** The index of the first statement that is neither committed nor recalled. */
  int firstToPerform() {
    int first = committed;
    while (first < size && statements.get(first).recalled) {
      first++;
    }
    return first;
  }

  /** How many statements, from the first one on, are committed. */
  public int committed() {
    return committed;
  }

  /** Marks the statements before that index as committed. */
  public void committed(int index) {
    committed = index;
  }

  /** Fails the statements that have no outcome. */
  public void fail(SqlFailure reason) {
    for (int i = 0; i < size; i++) {
      if (statements.get(i).outcome == null) {
        statements.get(i).fail(reason);
      }
    }
  }

  /**
   * After a statement failed that is performed alone from now on: so is what else its message has.
   */
  public void separate() {
    for (int i = 0; i < size; i++) {
      if (isAlone(i)) {
        for (int j = i - 1; j >= 0 && isOneMessage(j, i); j--) {
          alone(statements.get(j));
        }
        for (int j = i + 1; j < size && isOneMessage(j, i); j++) {
          alone(statements.get(j));
        }
      }
    }
  }

  private static void alone(PendingStatement statement) {
    if (statement.attempt == PendingStatement.Attempt.WITH_OTHERS) {
      statement.attempt = PendingStatement.Attempt.ALONE;
    }
  }

  private boolean isOneMessage(int one, int other) {
    return statements.get(one).position() == statements.get(other).position();
  }

  /** Whether the message of a statement has a transaction of its own. */
  boolean isAlone(int index) {
    return statements.get(index).attempt != PendingStatement.Attempt.WITH_OTHERS;
  }

  /** Discards the outcomes of a transaction that was rolled back. */
  public void undo() {
    for (int i = 0; i < size; i++) {
      statements.get(i).undo();
    }
  }

  /**
   * Fails the statements whose time is over, unless they have an outcome.
   *
   * @param nowMicros the time in microseconds since 1970
   */
  public void expire(long nowMicros) {
    for (int i = 0; i < size; i++) {
      PendingStatement statement = statements.get(i);
      Message message = statement.message;
      if (message != null && message.isExpired(nowMicros) && statement.toPerform()) {
        statement.fail(
            new SqlFailure(
                "HYT00",
                0,
                SqlFailure.Kind.EXPIRED,
                "it had to be performed by " + message.deliverBy() + "; nothing was performed"));
      }
    }
  }

  /** The checksum of the messages whose statements were not recalled, in order. */
  public long checksum() {
    long checksum = 0;
    for (int i = 0; i < size; i++) {
      if (!statements.get(i).recalled) {
        checksum = statements.get(i).addTo(checksum);
      }
    }
    return checksum;
  }

  /** The statements that carry an idempotency key and were not recalled. */
  public List<PendingStatement> keyed() {
    return those(PendingStatement::keyed);
  }

  /** The statements that are lines of streams and were not recalled. */
  public List<PendingStatement> lines() {
    return those(PendingStatement::inStream);
  }

  private List<PendingStatement> those(Predicate<PendingStatement> wanted) {
    List<PendingStatement> those = List.of();
    for (int i = 0; i < size; i++) {
      if (wanted.test(statements.get(i))) {
        those = those.isEmpty() ? new ArrayList<>() : those;
        those.add(statements.get(i));
      }
    }
    return those;
  }

  /**
   * The statements to perform, in order of arrival, except that independent statements follow the
   * first one with the same text.
   */
  public List<PendingStatement> toPerform(Predicate<String> independent) {
    List<List<PendingStatement>> runs = new ArrayList<>();
    Map<String, List<PendingStatement>> independentRuns = new HashMap<>();
    @Nullable List<PendingStatement> last = null;
    String lastSql = "";
    int count = 0;
    for (int i = 0; i < size; i++) {
      PendingStatement statement = statements.get(i);
      if (!statement.toPerform()) {
        continue;
      }
      count++;
      boolean update = statement.kind == PendingStatement.Kind.UPDATE;
      if (last != null && update && statement.sql.equals(lastSql)) {
        last.add(statement);
        continue;
      }
      List<PendingStatement> run = null;
      if (update && independent.test(statement.sql)) {
        run = independentRuns.get(statement.sql);
        if (run == null) {
          run = new ArrayList<>();
          runs.add(run);
          independentRuns.put(statement.sql, run);
        }
      } else {
        run = new ArrayList<>();
        runs.add(run);
      }
      run.add(statement);
      last = run;
      lastSql = update ? statement.sql : "";
    }
    List<PendingStatement> ordered = new ArrayList<>(count);
    runs.forEach(ordered::addAll);
    return ordered;
  }
}
