/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.service.errors.FailureCounts;
import io.forebay.trace.TraceParent;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failures of statements by SQL text and SQLState, at a decaying rate; see {@link
 * FailureCounts}. Thread-safe.
 */
public final class FailureNotes {

  private static final Logger log = LoggerFactory.getLogger(FailureNotes.class);

  private final String gateway;
  private final StatementCatalogue catalogue;
  private final FailureCounts<Kind> counts;

  FailureNotes(String gateway, StatementCatalogue catalogue, InstantSource clock) {
    this.gateway = gateway;
    this.catalogue = catalogue;
    this.counts = new FailureCounts<>(clock);
  }

  private record Kind(String sql, String sqlState) {}

  /**
   * A statement failed in a batch that is committed.
   *
   * @param trace of its message, or null
   */
  public void add(Request request, Outcome.Failed failed, @Nullable TraceParent trace) {
    String sql = request.sql();
    SqlFailure failure = failed.failure();
    catalogue.failed(gateway, sql, failure);
    FailureCounts.Count count = counts.add(new Kind(sql, failure.sqlState()));
    if (count != null) {
      tell(sql, failed, trace, count);
    }
  }

  /** Omits the message of the database, which may contain arguments; operators can look at it. */
  private void tell(
      String sql, Outcome.Failed failed, @Nullable TraceParent trace, FailureCounts.Count count) {
    SqlFailure failure = failed.failure();
    FailedObject on = failed.on();
    log.warn(
        "Statement failed: {} of gateway {} (SQLState {}, kind {}{}{}, {}); its result is the error,"
            + " and it is listed under failed statements",
        count.isOneOfMany() ? "one of many texts" : name(sql),
        gateway,
        failure.sqlState(),
        failure.kind(),
        on == null ? "" : ", " + on.words(),
        TraceParent.note(trace),
        count);
  }

  private String name(String sql) {
    String name = catalogue.nameOf(gateway, sql);
    return name == null ? "SQL text" : name;
  }
}
