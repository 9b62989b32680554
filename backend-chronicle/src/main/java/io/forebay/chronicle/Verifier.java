/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.FrameReader;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Verification;

/** Reads a whole partition to verify it, concurrently with other use. Thread-safe. */
final class Verifier implements AutoCloseable {

  private final PartitionLog log;
  private volatile boolean closed;

  Verifier(PartitionLog log) {
    this.log = log;
  }

  /** Verifies from a message on, or from the mark at opening if that is later. */
  synchronized Verification verify(long from) {
    checkOpen();
    log.drain();
    long end = log.stored();
    long first = Math.min(end, Math.max(from, log.first()));
    QueueStats.Damage known = log.health().damage();
    if (known != null && known.position() >= first) {
      return new Verification(first, known.position(), known.what());
    }
    long start = Math.min(end, Math.max(first, log.marked()));
    if (start == end) {
      return new Verification(start, end, null);
    }
    try (FrameReader reader = log.store().newReader()) {
      log.store().locate(reader, start);
      return read(reader, start, end);
    }
  }

  private Verification read(FrameReader reader, long start, long end) {
    int kind = StoredFrame.MESSAGE;
    while (reader.expected() < end && kind == StoredFrame.MESSAGE) {
      checkOpen();
      kind = reader.next();
    }
    long reached = reader.expected();
    if (reached >= end) {
      return new Verification(start, end, null);
    }
    String what = reader.damage(kind);
    log.health().damaged(reached, what);
    return new Verification(start, reached, what);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("%s is closed".formatted(log.name()));
    }
  }

  /** Stops a running verification and waits for it to end. */
  @Override
  public void close() {
    closed = true;
    awaitEnd();
  }

  private synchronized void awaitEnd() {}
}
