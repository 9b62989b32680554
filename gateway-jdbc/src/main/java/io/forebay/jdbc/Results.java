/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

/**
 * Which results a gateway puts into its out-queue. It changes nothing of the effects, nor of what
 * is listed as failed, nor of what an idempotency key remembers.
 */
public enum Results {

  /** One result for every statement. */
  ALL,

  /**
   * Results of queries and of statements that failed. That an update took effect, and how many rows
   * it changed, is told nowhere but by its idempotency key.
   */
  FAILURES_ONLY
}
