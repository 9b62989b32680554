/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.partitions;

/** The processes that share a job repository, one of which is this one. Thread-safe. */
public interface Processes {

  /** The name of this process; no other process before or after it has the same. */
  String self();

  /** Begins the lease of this process, before it claims its first partition. */
  void enter();

  /** Whether a process may be alive; true for this one. */
  boolean isAlive(String process);

  /**
   * Ensures, in a transaction of the repository, that an execution belongs to this process until
   * the transaction ends.
   *
   * @throws RuntimeException if it does not
   */
  void hold(long execution);

  /**
   * Limits how long the rest of the transaction of the repository may idle: a process that freezes
   * in it loses its row locks, so that others can continue.
   */
  void limitIdle();
}
