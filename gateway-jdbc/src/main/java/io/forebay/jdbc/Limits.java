/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.time.Duration;

/**
 * What a statement may take.
 *
 * @param statementTimeout how long one may run; default 30 s. It then fails with kind TIMEOUT.
 *     HSQLDB looks at it only now and then, so a query that computes for long may exceed it
 * @param maxRows rows of one result; default 10,000. More fail with kind LIMIT
 * @param maxResultBytes bytes of one result as it is stored; default 512 KiB, at most 1,000,000
 * @param inlineResultBytes results of queries up to this size are kept in the ledger until they are
 *     safe in the out-queue; larger ones are asked again after a crash; default 16 KiB
 */
public record Limits(
    Duration statementTimeout, int maxRows, int maxResultBytes, int inlineResultBytes) {

  public Limits {
    if (statementTimeout.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "statementTimeout is " + statementTimeout + ", at least 1 s is allowed");
    }
    if (maxRows < 1) {
      throw new IllegalArgumentException("maxRows is " + maxRows + ", at least 1 is allowed");
    }
    if (maxResultBytes < 1 || maxResultBytes > 1_000_000) {
      throw new IllegalArgumentException(
          "maxResultBytes is " + maxResultBytes + ", 1 to 1,000,000 is allowed");
    }
  }

  /**
   * How long a batch may take before PostgreSQL 17 or later ends it. A batch of slow statements
   * that each keep their limit must not be ended for ever, so this is far away; what hangs is
   * bounded by {@code idle_in_transaction_session_timeout}.
   */
  public Duration transactionTimeout() {
    return statementTimeout.multipliedBy(1_000);
  }

  public static Limits defaults() {
    return new Limits(Duration.ofSeconds(30), 10_000, 512 << 10, 16 << 10);
  }
}
