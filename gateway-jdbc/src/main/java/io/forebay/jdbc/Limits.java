/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.time.Duration;

/**
 * Limits of time and size for each statement.
 *
 * @param statementTimeout how long a statement may run; default 30 s. A longer one fails with kind
 *     TIMEOUT. HSQLDB checks the time only occasionally, so a long computation may exceed it
 * @param maxRows maximum rows of a result; default 10,000. A statement with more fails with kind
 *     LIMIT
 * @param maxResultBytes maximum bytes of a result as stored; default 512 KiB, at most 1,000,000
 */
public record Limits(Duration statementTimeout, int maxRows, int maxResultBytes) {

  public Limits {
    if (statementTimeout.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "statementTimeout is " + statementTimeout + ", minimum 1 s");
    }
    if (maxRows < 1) {
      throw new IllegalArgumentException("maxRows is " + maxRows + ", minimum 1");
    }
    if (maxResultBytes < 1 || maxResultBytes > 1_000_000) {
      throw new IllegalArgumentException(
          "maxResultBytes is " + maxResultBytes + ", allowed: 1 to 1,000,000");
    }
  }

  /**
   * How long a batch may take before PostgreSQL 17 or later terminates it. The limit is generous,
   * so that a batch of slow statements within their own limits can complete. {@code
   * idle_in_transaction_session_timeout} ends transactions that hang.
   */
  public Duration transactionTimeout() {
    return statementTimeout.multipliedBy(1_000);
  }

  public static Limits defaults() {
    return new Limits(Duration.ofSeconds(30), 10_000, 512 << 10);
  }
}
