/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A way to write statements into a queue. Used by one thread. */
interface Contender extends AutoCloseable {

  /** Writes every statement of the burst, as fast as it can, without waiting for any. */
  void write(Burst burst);

  /**
   * The loop of {@link #write} around a call that does nothing: what it allocates are the caller's
   * own arguments.
   */
  void writeNothing(Burst burst);

  /** The folders its queues are in. */
  List<Path> queues();

  @Override
  void close() throws SQLException;

  /** A contender whose statements are performed by a database and answered with results. */
  interface Performing extends Contender {

    TargetTables tables();

    /** From now on the service takes nothing from its queue, until {@link #release}. */
    void hold();

    void release();

    /**
     * Reads results that are there, tells each to the tally, and does not wait. Called by one
     * thread, which is not the one that writes.
     *
     * @return how many were read, 0 if there was none
     * @throws IllegalStateException if there will be no more
     */
    int pollResults(Tally tally);

    /**
     * @param failure what ended the service; null if it goes on
     */
    static void refuseAfter(@Nullable Throwable failure) {
      if (failure != null) {
        throw new IllegalStateException("the service ended; no more results will come", failure);
      }
    }
  }

  /**
   * Where a contender runs.
   *
   * @param folder an empty folder of its own
   * @param postgres an empty database of its own; null if it wants none
   * @param kafka a broker; null if it wants none
   * @param large whether more rows will come than fit into memory
   */
  record Place(Path folder, @Nullable String postgres, @Nullable KafkaPlace kafka, boolean large) {

    String postgresUrl() {
      if (postgres == null) {
        throw new IllegalStateException("this contender needs a PostgreSQL, and there is none");
      }
      return postgres;
    }
  }

  /**
   * A broker, and topics of the contender's own.
   *
   * @param data the folder where the broker keeps topics
   * @param prefix of their names
   */
  record KafkaPlace(String bootstrap, Path data, String prefix) {}

  /** What a contender can do besides a plain burst, and what it needs. */
  enum Trait {
    /** A statement takes it so long that its bursts are shorter. */
    SLOW,
    NEEDS_POSTGRESQL,
    /** Its queues may also be topics. */
    TAKES_KAFKA,
    TAKES_TWO_STATEMENTS,
    TAKES_FAILURES,
    TAKES_A_BACKLOG
  }

  /** A line of the table. */
  record Entry(String name, Opening opening, Set<Trait> traits) {

    boolean is(Trait trait) {
      return traits.contains(trait);
    }
  }

  @FunctionalInterface
  interface Opening {
    Contender open(Place place) throws SQLException;
  }
}
