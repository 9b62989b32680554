/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How often a service performed each statement, and how long that took, since it was created. The
 * counts never decrease.
 *
 * @param transactionNanos the time that all transactions took, without the wait for the in-queue
 * @param statements the part of it that statements took
 */
public record StatementCounts(long transactionNanos, List<Statement> statements) {

  /** Those of a service that performs no statements. */
  public static final StatementCounts NONE = new StatementCounts(0, List.of());

  /**
   * A statement of the catalogue.
   *
   * @param name null for all SQL texts that the catalogue does not have
   * @param count how often it was performed, with attempts that failed
   */
  public record Statement(@Nullable String name, long count, long nanos) {}

  public StatementCounts {
    statements = List.copyOf(statements);
  }

  /** The counts of a statement, which are zero before it is performed. */
  public Statement of(@Nullable String name) {
    return statements.stream()
        .filter(it -> Objects.equals(it.name(), name))
        .findFirst()
        .orElse(new Statement(name, 0, 0));
  }
}
