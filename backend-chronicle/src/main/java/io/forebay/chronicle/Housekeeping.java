/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.CycleClock;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The periodic work on the files of one queue, and what is known of them. Thread-safe. */
final class Housekeeping implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  private final String queue;
  private final PartitionLog[] logs;
  private final Consumers consumers;
  private final Committer committer;
  private final Duration kept;
  private final CycleClock clock;
  private volatile List<Storage.File> files = List.of();
  private boolean closed;

  /**
   * @param kept how long files are kept after all consumers have passed them
   */
  Housekeeping(
      String queue,
      PartitionLog[] logs,
      Consumers consumers,
      Committer committer,
      Duration kept,
      CycleClock clock) {
    this.queue = queue;
    this.logs = logs;
    this.consumers = consumers;
    this.committer = committer;
    this.kept = kept;
    this.clock = clock;
  }

  Instant now() {
    return Instant.ofEpochMilli(clock.currentTimeMillis());
  }

  /** Forces finished files, stores marks and consumer positions, deletes old files. */
  synchronized void run() {
    if (closed) {
      return;
    }
    try {
      committer.signal();
      for (PartitionLog log : logs) {
        log.markGood();
      }
      saveConsumers();
      for (int i = 0; i < logs.length; i++) {
        logs[i].deletePassed(consumers.passedByAll(i), kept, now());
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("queue {}: housekeeping failed; it is retried", queue, e);
    }
  }

  /** Lists the files for {@link #storage()}. */
  synchronized void list() {
    if (closed) {
      return;
    }
    List<Storage.File> found = new ArrayList<>();
    for (int i = 0; i < logs.length; i++) {
      found.addAll(
          logs[i]
              .store()
              .diskUse()
              .list(queue + "/" + i + "/", consumers.passed(i), logs[i].stored()));
    }
    files = List.copyOf(found);
  }

  /** The disk usage: what is current, and the files as of the last listing. */
  Storage.OfQueue storage() {
    long appended = 0;
    long deleted = 0;
    long bytes = 0;
    Storage.Ring ring = null;
    for (PartitionLog log : logs) {
      Storage.Ring one = log.intake().ringStats();
      ring = one == null || ring == null ? one : ring.and(one);
      appended += log.appendedBytes();
      deleted += log.store().diskUse().deletedBytes();
      bytes += log.store().diskUse().bytes();
    }
    return new Storage.OfQueue(queue, kept, appended, deleted, bytes, files, ring);
  }

  private void saveConsumers() throws IOException {
    if (kept.isPositive()) {
      consumers.dropUnseen(kept, now());
    }
    consumers.save(now());
  }

  /** Stores the last marks and positions, when nothing is appended any more. */
  @Override
  public synchronized void close() {
    closed = true;
    try {
      for (PartitionLog log : logs) {
        log.markClosed();
      }
      saveConsumers();
    } catch (IOException | RuntimeException e) {
      LOG.warn("queue {}: marks and consumer positions could not be stored", queue, e);
    }
  }
}
