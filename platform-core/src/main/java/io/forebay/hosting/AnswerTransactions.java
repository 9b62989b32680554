/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.service.progress.Unavailable;
import java.util.OptionalLong;

/**
 * Delivers answers in transactions of a database, which also store how far the receiver has come:
 * what a receiver changes in that database then takes effect exactly once. As a bean it applies to
 * all receivers of the application. Thread-safe.
 *
 * <p>Every method but {@link #mustBeUsable} throws {@link Unavailable} if the database does not do
 * what it is asked.
 */
public interface AnswerTransactions {

  /**
   * Called at the start, before the first answer is delivered.
   *
   * @throws io.forebay.operations.StartRefused if the database responds, but lacks what this needs;
   *     if it does not respond, answers wait for it
   */
  default void mustBeUsable() {}

  /**
   * The stored position of a partition, the first that was not received; empty if there is none.
   *
   * @param queueId the identity of the out-queue
   */
  OptionalLong position(String queueId, int partition);

  /** Begins a transaction, on the thread that delivers the answers. */
  Transaction begin();

  /** A transaction of the delivering thread; ended by {@link #commit} or {@link #rollback}. */
  interface Transaction {

    /** Makes what {@code delivery} changes undone if it throws, and nothing else. */
    void deliver(Runnable delivery);

    /**
     * Stores the position, and commits.
     *
     * @param from the position stored before
     * @param to the first position that was not received
     * @throws Unavailable also if another instance has stored a position in the meantime; nothing
     *     is committed then, unless only the answer to the commit was lost
     */
    void commit(String queueId, int partition, OptionalLong from, long to);

    void rollback();
  }
}
