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
   * Only the results of queries and of failed statements. The count of a successful update is
   * available only through its idempotency key.
   */
  FAILURES_ONLY
}
