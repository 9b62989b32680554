/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failures of statements: for each SQL text and SQLState the first, tenth, hundredth and so
 * on; counting starts over after an hour without failures. It tracks at most {@value #KINDS} kinds
 * of failures; the others are counted together. Thread-safe.
 */
public final class FailureNotes {

  static final int KINDS = 200;

  private static final Logger log = LoggerFactory.getLogger(FailureNotes.class);
  private static final Duration FORGET_AFTER = Duration.ofHours(1);
  private static final String OTHERS = "";

  private final String gateway;
  private final @Nullable StatementCatalogue catalogue;
  private final InstantSource clock;
  private final Map<Kind, Count> counts = new HashMap<>();

  FailureNotes(String gateway, @Nullable StatementCatalogue catalogue, InstantSource clock) {
    this.gateway = gateway;
    this.catalogue = catalogue;
    this.clock = clock;
  }

  private record Kind(String sql, String sqlState) {}

  private static final class Count {
    private final Instant since;
    private Instant last;
    private long failures;
    private long next = 1;

    Count(Instant now) {
      since = now;
      last = now;
    }
  }

  /** A statement failed in a batch that is committed. */
  public void add(PendingStatement statement, SqlFailure failure) {
    String sql = statement.calls.isEmpty() ? statement.sql : statement.calls.getFirst().sql();
    if (catalogue != null) {
      catalogue.failed(gateway, sql, failure);
    }
    count(sql, failure, statement.failedOn);
  }

  private synchronized void count(String sql, SqlFailure failure, @Nullable FailedObject on) {
    Instant now = clock.instant();
    Kind kind = new Kind(sql, failure.sqlState());
    if (!counts.containsKey(kind) && counts.size() >= KINDS) {
      counts.values().removeIf(count -> isOver(count, now));
      kind = counts.size() >= KINDS ? new Kind(OTHERS, "") : kind;
    }
    Count count =
        counts.compute(
            kind, (_, known) -> known == null || isOver(known, now) ? new Count(now) : known);
    count.last = now;
    count.failures++;
    if (count.failures == count.next) {
      count.next *= 10;
      tell(kind, failure, on, count);
    }
  }

  private static boolean isOver(Count count, Instant now) {
    return count.last.plus(FORGET_AFTER).isBefore(now);
  }

  /** Omits the message of the database, which may contain arguments; operators can look at it. */
  private void tell(Kind kind, SqlFailure failure, @Nullable FailedObject on, Count count) {
    log.warn(
        "Statement failed: {} of gateway {} (SQLState {}, kind {}{}, {} times since"
            + " {}); its result is the error, and it is listed under failed statements;"
            + " next log entry at {}",
        kind.sql().equals(OTHERS) ? "one of many texts" : name(kind.sql()),
        gateway,
        failure.sqlState(),
        failure.kind(),
        on == null ? "" : ", " + on.words(),
        count.failures,
        count.since,
        count.next);
  }

  private String name(String sql) {
    String name = catalogue == null ? null : catalogue.nameOf(gateway, sql);
    return name == null ? "SQL text" : name;
  }
}
