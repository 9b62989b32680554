/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.database.Dialect;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.sql.PlainInsert;
import io.forebay.jdbc.sql.SqlText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the gateway must know about SQL texts; analyses each text once. For one thread. */
public final class SqlRules {

  /** Each has a result, and these are one message. */
  static final int MAX_CALLS = 1_000;

  private static final int MAX_TEXTS = 10_000;

  private final Dialect dialect;
  private final Map<String, SqlText> texts = new HashMap<>();
  private final Set<String> singly = new HashSet<>();
  private final Set<String> notAsArrays = new HashSet<>();

  public SqlRules(Dialect dialect) {
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
  @Nullable
  public PlainInsert arrayInsert(String sql) {
    return singly.contains(sql) || notAsArrays.contains(sql) ? null : text(sql).plainInsert();
  }

  /** Whether statements of this text must be performed one at a time. */
  public boolean isSingly(String sql) {
    return singly.contains(sql);
  }

  /**
   * From now on, statements of this text are performed one at a time, because for a JDBC batch of
   * them the database does not report how many rows each changed. The caller throws the result,
   * because the transaction must be rolled back.
   */
  public PerformAgain singly(String sql) {
    singly.add(sql);
    return new PerformAgain();
  }

  /**
   * From now on, statements of this text are not performed with arrays. The caller throws the
   * result, because the transaction must be rolled back.
   */
  public PerformAgain notAsArrays(String sql) {
    notAsArrays.add(sql);
    return new PerformAgain();
  }

  /** Sets the outcome of refused statements. */
  public void apply(Batch batch) {
    for (int i = 0; i < batch.size(); i++) {
      PendingStatement statement = batch.get(i);
      SqlFailure refusal = statement.isToPerform() ? refusal(statement.request()) : null;
      if (refusal != null) {
        statement.fail(refusal);
      }
    }
  }

  private @Nullable SqlFailure refusal(Request request) {
    return switch (request) {
      case Request.Single(String sql, Object[] args, _) -> refusal(sql, args.length);
      case Request.Refused(_, SqlFailure why, _) -> why;
      case Request.Together(List<Request.Single> updates) -> refusal(updates);
      case Request.Undecodable _ -> null;
    };
  }

  private @Nullable SqlFailure refusal(List<Request.Single> updates) {
    if (updates.isEmpty() || updates.size() > MAX_CALLS) {
      return SqlFailure.limit(
          "%,d statements sent together (allowed: 1 to %,d)".formatted(updates.size(), MAX_CALLS));
    }
    for (Request.Single update : updates) {
      SqlFailure refusal = refusal(update.sql(), update.args().length);
      if (refusal != null) {
        return refusal;
      }
    }
    return null;
  }

  private @Nullable SqlFailure refusal(String sql, int arguments) {
    SqlText text = text(sql);
    String refusal = text.refusal();
    if (refusal != null) {
      return SqlFailure.unsupported(refusal);
    }
    if (text.placeholders() != arguments) {
      // a reused prepared statement would take missing arguments from the previous call
      return new SqlFailure(
          "07001",
          0,
          SqlFailure.Kind.STATEMENT,
          "the statement has %d parameters, but %d arguments were given"
              .formatted(text.placeholders(), arguments));
    }
    return null;
  }
}
