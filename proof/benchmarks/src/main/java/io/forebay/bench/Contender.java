/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Burst.Contents;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A way to write statements to a queue. For one thread. */
interface Contender extends AutoCloseable {

  /** Writes all statements of the burst as fast as possible, without waiting for results. */
  void write(Burst burst);

  /**
   * Runs the loop of {@link #write} around a call that does nothing. Its allocations are the
   * caller's own arguments.
   */
  default void writeNothing(Burst burst) {
    // It has no arguments that a caller would have to allocate.
  }

  /** The folders of its queues. */
  List<Path> queues();

  @Override
  void close() throws SQLException;

  /** A contender whose statements are performed and answered with results. */
  interface Performing extends Contender {

    Effects effects();

    /** The name of the thread that reads statements, performs them and writes their results. */
    String performingThread();

    /** Stops or resumes reading the queue of statements. */
    void hold(boolean held);

    /**
     * Reads available results and passes each to the tally, without waiting. Called by one thread,
     * which is not the writing thread.
     *
     * @return how many were read, 0 if there was none
     * @throws IllegalStateException if no more will come
     */
    int pollResults(Tally tally);

    /**
     * @throws IllegalStateException if an effect or result is missing, wrong or duplicated
     */
    default void check(Burst burst, Tally tally) throws SQLException {
      Contents expected = burst.contents();
      Contents actual = effects().contents();
      if (!actual.equals(expected)) {
        throw new IllegalStateException(
            "the tables contain %s, but the burst should leave %s".formatted(actual, expected));
      }
      long failures = burst.count() - expected.rows();
      if (tally.read() != burst.count()
          || tally.rows() != expected.rows()
          || tally.failures() != failures) {
        throw new IllegalStateException(
            "%d results with %d rows and %d failures were read, but the burst has %d, %d and %d"
                .formatted(
                    tally.read(),
                    tally.rows(),
                    tally.failures(),
                    burst.count(),
                    expected.rows(),
                    failures));
      }
    }

    /**
     * @param failure what ended the service; null if it runs
     */
    static void refuseAfter(@Nullable Throwable failure) {
      if (failure != null) {
        throw new IllegalStateException("the service ended; no more results will come", failure);
      }
    }
  }

  /** What the statements have changed. */
  interface Effects {

    /** Undoes all, and runs a checkpoint. */
    void clear() throws SQLException;

    Contents contents() throws SQLException;
  }
}
