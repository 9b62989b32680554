/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.Message;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.PendingStatement.Attempt;
import io.forebay.service.progress.Resumable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The statements that were read together, in order, and how many of them are committed. Reused; for
 * one thread.
 */
public final class Batch {

  /** The most bytes of the outcomes that one transaction keeps, unless it is one message. */
  static final int KEPT_BYTES = 1 << 20;

  private final List<PendingStatement> statements;
  private int committed;
  private long keptBytes;

  /** The checksum of the bytes of the message that is read. */
  private long checksum;

  public Batch() {
    this(new ArrayList<>());
  }

  private Batch(List<PendingStatement> statements) {
    this.statements = statements;
  }

  /** The statements of the next message follow. */
  public void performs(long checksumOfBytes) {
    checksum = checksumOfBytes;
  }

  /**
   * Adds a statement, perhaps of the message of the one before. A message with too many statements
   * is refused as a whole: its first statement stays and is refused.
   */
  public void add(PendingStatement added) {
    added.checksum = checksum;
    PendingStatement before = statements.isEmpty() ? null : statements.getLast();
    if (before == null || before.message() == null || before.message() != added.message()) {
      statements.add(added);
    } else if (!isRefused(before)) {
      statements.add(added);
      share(before, added);
    }
  }

  private static boolean isRefused(PendingStatement statement) {
    return statement.request() instanceof Request.Refused(_, SqlFailure why, _)
        && why == AnswerRoom.TOO_MANY_STATEMENTS;
  }

  private void share(PendingStatement before, PendingStatement added) {
    AnswerRoom room = before.room;
    if (room == null) {
      room = new AnswerRoom();
      room.add();
      before.room = room;
    }
    room.add();
    added.room = room;
    if (room.statements() > AnswerRoom.MAX_STATEMENTS) {
      int first = size() - room.statements();
      PendingStatement refused = statements.get(first).refused(AnswerRoom.TOO_MANY_STATEMENTS);
      refused.checksum = added.checksum;
      statements.subList(first, size()).clear();
      statements.add(refused);
    }
  }

  public PendingStatement get(int index) {
    return statements.get(index);
  }

  public int size() {
    return statements.size();
  }

  public void clear() {
    statements.clear();
    committed = 0;
    keptBytes = 0;
  }

  /** The index behind the last statement of the message whose first statement has that index. */
  int endOfMessage(int first) {
    long position = get(first).position();
    int end = first + 1;
    while (end < size() && get(end).position() == position) {
      end++;
    }
    return end;
  }

  /** Whether all statements are of one message. */
  public boolean isOneMessage() {
    return size() == 0 || get(0).position() == get(size() - 1).position();
  }

  /** The statements from one index up to another, for a transaction of their own. */
  Batch part(int from, int to) {
    return new Batch(statements.subList(from, to));
  }

  /** The index of the first statement that is neither committed nor recalled. */
  int firstToPerform() {
    int first = committed;
    while (first < size() && get(first).isRecalled()) {
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

  /** Fails the statements that are to be performed. */
  public void fail(SqlFailure reason) {
    for (PendingStatement statement : statements) {
      if (statement.isToPerform()) {
        statement.fail(reason);
      }
    }
  }

  /**
   * The message at a position gets a transaction of its own. The caller throws the result, because
   * the present one must be rolled back.
   */
  public PerformAgain alone(long position) {
    for (PendingStatement statement : statements) {
      if (statement.position() == position) {
        statement.attempt(Attempt.ALONE);
      }
    }
    return new PerformAgain();
  }

  /**
   * Counts the bytes of an outcome that the transaction keeps until its commit.
   *
   * @throws PerformAgain if those of several messages are too many
   */
  public void keeps(long bytes, long position) {
    keptBytes += bytes;
    mustTake(keptBytes, position);
  }

  /**
   * @param position of the message with the last of these bytes
   * @throws PerformAgain if outcomes of several messages take too many bytes
   */
  void mustTake(long bytes, long position) {
    if (bytes > KEPT_BYTES && !isOneMessage()) {
      throw alone(position);
    }
  }

  /** Discards the outcomes of a transaction that was rolled back. */
  public void undo() {
    statements.forEach(PendingStatement::undo);
    keptBytes = 0;
  }

  /**
   * Fails the statements whose time is over, unless they have an outcome.
   *
   * @param nowMicros the time in microseconds since 1970
   */
  public void expire(long nowMicros) {
    for (PendingStatement statement : statements) {
      Message message = statement.message();
      if (message != null && message.isExpired(nowMicros) && statement.isToPerform()) {
        statement.fail(
            new SqlFailure(
                "HYT00",
                0,
                SqlFailure.Kind.EXPIRED,
                "it had to be performed by " + message.deliverBy() + "; nothing was performed"));
      }
    }
  }

  /** The message of the last statement; null if there is none. */
  public Resumable.@Nullable LastPerformed last() {
    PendingStatement last = statements.isEmpty() ? null : statements.getLast();
    return last == null ? null : new Resumable.LastPerformed(last.position(), last.checksum);
  }

  /** The checksum of its messages, in order. */
  public long checksum() {
    long checksum = 0;
    for (PendingStatement statement : statements) {
      checksum = statement.addTo(checksum);
    }
    return checksum;
  }

  /** Whether a statement has a key. */
  public boolean hasKeys() {
    return statements.stream().anyMatch(statement -> statement.key() != null);
  }

  /** The statements with a key of this kind. */
  public List<PendingStatement> keyed(Class<? extends PendingStatement.Key> kind) {
    List<PendingStatement> keyed = List.of();
    for (PendingStatement statement : statements) {
      if (kind.isInstance(statement.key())) {
        keyed = keyed.isEmpty() ? new ArrayList<>() : keyed;
        keyed.add(statement);
      }
    }
    return keyed;
  }

  /**
   * The statements to perform, in order of arrival, except that independent statements follow the
   * first one with the same text.
   */
  public List<PendingStatement> toPerform(StatementTexts texts) {
    Map<Object, List<PendingStatement>> runs = new LinkedHashMap<>();
    @Nullable List<PendingStatement> last = null;
    String lastSql = "";
    for (PendingStatement statement : statements) {
      if (!statement.isToPerform()) {
        continue;
      }
      Request request = statement.request();
      boolean update = request instanceof Request.Single && !request.isQuery();
      String sql = request.sql();
      if (last == null || !update || !sql.equals(lastSql)) {
        Object run = update && texts.isIndependent(sql) ? sql : statement;
        last = runs.computeIfAbsent(run, _ -> new ArrayList<>());
        lastSql = update ? sql : "";
      }
      last.add(statement);
    }
    List<PendingStatement> ordered = new ArrayList<>(size());
    runs.values().forEach(ordered::addAll);
    return ordered;
  }
}
