/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.chronicle.ChronicleBackend.Writing;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A way to write statements to a queue. For one thread. */
interface Contender extends AutoCloseable {

  /** Writes all statements of the burst as fast as possible, without waiting for results. */
  void write(Burst burst);

  /**
   * Runs the loop of {@link #write} around a call that does nothing. Its allocations are the
   * caller's own arguments.
   */
  void writeNothing(Burst burst);

  /** The folders of its queues. */
  List<Path> queues();

  @Override
  void close() throws SQLException;

  /** A contender whose statements are performed by a database and answered with results. */
  interface Performing extends Contender {

    TargetTables tables();

    /** The name of the thread that reads statements, performs them and writes their results. */
    String performingThread();

    /** Stops the service from reading its queue until {@link #release}. */
    void hold();

    void release();

    /**
     * Reads available results and passes each to the tally, without waiting. Called by one thread,
     * which is not the writing thread.
     *
     * @return how many were read, 0 if there was none
     * @throws IllegalStateException if no more will come
     */
    int pollResults(Tally tally);

    /**
     * @param failure what ended the service; null if it runs
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
   * @param folder an empty folder for the contender
   * @param postgres an empty database for the contender; null if it needs none
   * @param kafka a broker; null if it needs none
   * @param large whether there will be more rows than fit into memory
   * @param writing how Forebay writes to its queues on Chronicle
   */
  record Place(
      Path folder,
      @Nullable String postgres,
      @Nullable KafkaPlace kafka,
      boolean large,
      Writing writing) {

    /** A place for bursts. */
    static Place forBursts(Path folder, @Nullable String postgres, @Nullable KafkaPlace kafka) {
      return new Place(folder, postgres, kafka, false, Writing.DIRECT);
    }

    /** A place for a backlog. */
    static Place forBacklog(Path folder, @Nullable String postgres, Writing writing) {
      return new Place(folder, postgres, null, true, writing);
    }

    String postgresUrl() {
      if (postgres == null) {
        throw new IllegalStateException("this contender needs a PostgreSQL, and there is none");
      }
      return postgres;
    }
  }

  /**
   * A broker, and the names of the contender's topics.
   *
   * @param data the folder where the broker stores topics
   * @param prefix the prefix of the topic names
   */
  record KafkaPlace(String bootstrap, Path data, String prefix) {}

  /** What a contender can do besides a plain burst, and what it needs. */
  enum Trait {
    /** A statement takes so long that its bursts are shorter. */
    SLOW,
    NEEDS_POSTGRESQL,
    /** Its queues can also be topics. */
    TAKES_KAFKA,
    TAKES_TWO_STATEMENTS,
    TAKES_FAILURES
  }

  /** A row of the table. */
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
