/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the gateway has to know of the texts it meets; looks at each once. For one thread. */
final class SqlRules {

  private static final int MAX_TEXTS = 10_000;
  private static final Set<String> LEAVES_SESSION_ALONE =
      Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "VALUES");
  private static final Set<String> ONLY_READS = Set.of("SELECT", "VALUES", "TABLE");

  private final Dialect dialect;
  private final Map<String, SqlText> texts = new HashMap<>();
  private final Set<String> noArrays = new HashSet<>();

  SqlRules(Dialect dialect) {
    this.dialect = dialect;
  }

  SqlText text(String sql) {
    SqlText text = texts.get(sql);
    if (text == null) {
      text = new SqlText(sql, dialect);
      if (texts.size() < MAX_TEXTS) {
        texts.put(sql, text);
      }
    }
    return text;
  }

  /** The parts of a plain insert that may be performed with arrays, or null. */
  @Nullable PlainInsert arrayInsert(String sql) {
    return noArrays.contains(sql) ? null : text(sql).plainInsert();
  }

  /** With arrays it cannot be told which rows of this insert were left out. */
  void noArrays(String sql) {
    noArrays.add(sql);
  }

  /** Whether a query whose result is lost can be asked again, in a transaction that only reads. */
  boolean mayBeAskedAgain(String sql) {
    return ONLY_READS.contains(text(sql).keyword());
  }

  /**
   * Gives the statements that are refused their outcome.
   *
   * @return whether what remains may change the session, so that it must be reset
   */
  boolean apply(Batch batch) {
    boolean mayChangeSession = false;
    for (int i = 0; i < batch.size(); i++) {
      PendingStatement statement = batch.get(i);
      if (statement.outcome != null) {
        continue;
      }
      if (statement.kind == PendingStatement.Kind.TOGETHER) {
        for (Call call : statement.calls) {
          mayChangeSession |= apply(statement, call.sql(), call.args().size());
        }
      } else {
        mayChangeSession |= apply(statement, statement.sql, statement.args.length);
      }
    }
    return mayChangeSession;
  }

  private boolean apply(PendingStatement statement, String sql, int arguments) {
    SqlText text = text(sql);
    String refusal = text.refusal();
    if (refusal != null) {
      statement.fail(SqlFailure.unsupported(refusal));
      return false;
    }
    if (text.placeholders() != arguments) {
      // a prepared statement that is used again would take the missing ones from the call before
      statement.fail(
          new SqlFailure(
              "07001",
              0,
              SqlFailure.Kind.STATEMENT,
              "the statement takes %d arguments, and %d were given"
                  .formatted(text.placeholders(), arguments)));
      return false;
    }
    return !LEAVES_SESSION_ALONE.contains(text.keyword());
  }
}
