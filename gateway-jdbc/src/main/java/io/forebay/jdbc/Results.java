/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

/**
 * Which results a gateway appends to its out-queue. The setting does not change the effects of
 * statements, the list of failed statements, or the results kept for idempotency keys.
 */
public enum Results {

  /** One result for every statement. */
  ALL,

  /**
   * One result for every statement. Equal results of consecutive statements without an idempotency
   * key become one message, a run, which is cheaper to write and to keep. Readers in Java see
   * single results all the same. Readers in other languages must know the format of a run ({@code
   * docs/message-format.md}), and no service may perform the results as the next stage of a
   * pipeline.
   */
  RUNS,

  /**
   * Only the results of queries and of failed statements. The count of a successful update is
   * available only through its idempotency key.
   */
  FAILURES_ONLY;

  /** Whether equal results of consecutive statements become one message. */
  public boolean isInRuns() {
    return this == RUNS;
  }

  /** Whether every statement has a result. */
  public boolean keepsAll() {
    return this != FAILURES_ONLY;
  }
}
