/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Burst.Contents;
import io.forebay.bench.Contender.Place;
import io.forebay.chronicle.ChronicleBackend.Writing;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptTailer;
import org.jspecify.annotations.Nullable;

/** Ways to keep a backlog of messages of equal length, and to drain it. */
enum BacklogContender {
  /** The gateway, performing on PostgreSQL. */
  FOREBAY_DIRECT {
    @Override
    Way open(Path folder, @Nullable String postgres) throws SQLException {
      return new Gateway(Forebay.onPostgresql(Place.forBacklog(folder, postgres, Writing.DIRECT)));
    }
  },
  /** The same, writing through a ring in memory. */
  FOREBAY_ASYNC {
    @Override
    Way open(Path folder, @Nullable String postgres) throws SQLException {
      return new Gateway(Forebay.onPostgresql(Place.forBacklog(folder, postgres, Writing.ASYNC)));
    }
  },
  /** The gateway, performing on HSQLDB with its rows on disk; slower with each million of rows. */
  FOREBAY_HSQLDB {
    @Override
    Way open(Path folder, @Nullable String postgres) throws SQLException {
      return new Gateway(Forebay.onHsqldb(Place.forBacklog(folder, null, Writing.DIRECT)));
    }
  },
  /** Chronicle Queue alone; to drain it is to read it. */
  BARE_APPEND {
    @Override
    Way open(Path folder, @Nullable String postgres) {
      return new Bare(BareAppend.open(Place.forBacklog(folder, null, Writing.DIRECT), MESSAGE));
    }
  };

  /** The length of a message with its frame, as in the article. */
  static final int MESSAGE = 256;

  /** Messages are written, then drained. For one thread. */
  interface Way extends AutoCloseable {

    /** Empties the database; from now on nothing is drained. */
    void hold() throws SQLException;

    void write(Burst burst);

    /**
     * Begins to drain.
     *
     * @param messages how many were written
     */
    void release(long messages);

    /** Drains some messages, or counts some that were performed. Returns 0 if there are none. */
    long drained();

    /**
     * @param all the messages since {@link #hold}
     * @throws IllegalStateException if one of them had its effect never, twice, or wrongly
     */
    void check(Burst all) throws SQLException;

    /** The folders of the queues. */
    List<Path> queues();

    @Override
    void close() throws SQLException;
  }

  abstract Way open(Path folder, @Nullable String postgres) throws SQLException;

  String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Those that run unless others are named. */
  static List<BacklogContender> usual() {
    return List.of(FOREBAY_DIRECT, FOREBAY_ASYNC, BARE_APPEND);
  }

  boolean needsPostgresql() {
    return this == FOREBAY_DIRECT || this == FOREBAY_ASYNC;
  }

  /** Whether messages become rows. */
  boolean performs() {
    return this != BARE_APPEND;
  }

  /**
   * @throws UsageError if there is no contender with this name
   */
  static BacklogContender named(String title) {
    return Arrays.stream(values())
        .filter(it -> it.title().equals(title))
        .findFirst()
        .orElseThrow(() ->
            new UsageError(
                "contender '%s' does not exist (known: %s)"
                    .formatted(
                        title, Arrays.stream(values()).map(BacklogContender::title).toList())));
  }

  /** The text of the statement is padded, so that its message has the given length. */
  static final class Gateway implements Way {

    private final Forebay forebay;
    private final Tally tally = new Tally();
    private final String sql = Burst.sql(false) + " ".repeat(MESSAGE - ForebayMessage.length());

    Gateway(Forebay forebay) {
      this.forebay = forebay;
    }

    @Override
    public void hold() throws SQLException {
      forebay.tables().clear();
      forebay.hold();
    }

    @Override
    public void write(Burst burst) {
      for (long number = burst.from(); number < burst.to(); number++) {
        forebay.write(sql, number, burst);
      }
    }

    @Override
    public void release(long messages) {
      tally.expect(messages);
      forebay.release();
    }

    @Override
    public long drained() {
      return forebay.pollResults(tally);
    }

    @Override
    public void check(Burst all) throws SQLException {
      Contents actual = forebay.tables().contents();
      Contents expected = all.contents();
      if (!actual.equals(expected) || tally.rows() != all.count() || tally.failures() != 0) {
        throw new IllegalStateException(
            "the table has %s and %d results say that %d rows changed, but it should have %s"
                .formatted(actual, tally.read(), tally.rows(), expected));
      }
    }

    @Override
    public List<Path> queues() {
      return forebay.queues();
    }

    @Override
    public void close() throws SQLException {
      forebay.close();
    }
  }

  private static final class Bare implements Way {

    private static final int MOST = 1_000;

    private final BareAppend queue;
    private final ExcerptTailer tailer;
    private final Bytes<?> message = Bytes.allocateElasticDirect(MESSAGE);
    private long read;
    private long ids;

    Bare(BareAppend queue) {
      this.queue = queue;
      tailer = queue.tailer();
    }

    @Override
    public void hold() {
      read = 0;
      ids = 0;
    }

    @Override
    public void write(Burst burst) {
      queue.write(burst);
    }

    @Override
    public void release(long messages) {
      // the next call of drained() begins to read
    }

    @Override
    public long drained() {
      int now = 0;
      while (now < MOST && tailer.readBytes(message.clear())) {
        ids += message.readLong(0);
        now++;
      }
      read += now;
      return now;
    }

    @Override
    public void check(Burst all) {
      Contents expected = all.contents();
      if (read != expected.rows() || ids != expected.ids()) {
        throw new IllegalStateException(
            "%d messages with the sum %d were read, but %s were written"
                .formatted(read, ids, expected));
      }
    }

    @Override
    public List<Path> queues() {
      return queue.queues();
    }

    @Override
    public void close() {
      tailer.close();
      queue.close();
      message.releaseLast();
    }
  }
}
