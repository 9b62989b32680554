/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lines that are not acknowledged yet, in the order of their numbers. Thread-safe. */
final class LineBuffer {

  /**
   * @param from the number of the first line
   */
  record Batch(long from, byte[] bytes) {}

  /** A limit beside the number of lines, so that long lines do not fill the heap. */
  private static final long MOST_BYTES = 16 << 20;

  private final int mostLines;
  private final ArrayDeque<byte[]> lines = new ArrayDeque<>();
  private final Set<Long> refusedHere = new HashSet<>();
  private long acknowledged;
  private long bytes;
  private long accepted;
  private long refused;
  private boolean closed;
  private @Nullable RuntimeException failure;

  LineBuffer(long from, int mostLines) {
    this.acknowledged = from - 1;
    this.mostLines = mostLines;
  }

  /**
   * Waits while the buffer is full.
   *
   * @return the number of the line
   */
  synchronized long add(byte[] line) throws InterruptedException {
    check();
    while (lines.size() >= mostLines || (!lines.isEmpty() && bytes + line.length > MOST_BYTES)) {
      wait();
      check();
    }
    lines.add(line);
    bytes += line.length;
    notifyAll();
    return acknowledged + lines.size();
  }

  private void check() {
    if (failure != null) {
      throw failure;
    }
    if (closed) {
      throw new IllegalStateException("The stream is closed");
    }
  }

  /** Waits until all lines are acknowledged. */
  synchronized StreamEnd awaitEmpty() throws InterruptedException {
    check();
    while (!lines.isEmpty()) {
      wait();
      check();
    }
    return new StreamEnd(acknowledged, accepted, refused);
  }

  /**
   * Waits for lines and returns the first of them, at least one. A line that was refused is blank
   * there: the door only counts it.
   *
   * @return null if the buffer is closed
   */
  synchronized @Nullable Batch next(int mostLines, int mostBytes) throws InterruptedException {
    while (lines.isEmpty() && !closed) {
      wait();
    }
    if (closed) {
      return null;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    long number = acknowledged;
    for (Iterator<byte[]> all = lines.iterator();
        all.hasNext() && number - acknowledged < mostLines; ) {
      byte[] line = all.next();
      if (out.size() > 0 && out.size() + line.length >= mostBytes) {
        break;
      }
      number++;
      if (!refusedHere.contains(number)) {
        out.writeBytes(line);
      }
      out.write('\n');
    }
    return new Batch(acknowledged + 1, out.toByteArray());
  }

  /** All lines up to this one were accepted or refused. */
  synchronized void acknowledge(long to) {
    while (acknowledged < to && !lines.isEmpty()) {
      acknowledged++;
      bytes -= lines.remove().length;
      if (refusedHere.remove(acknowledged)) {
        refused++;
      } else {
        accepted++;
      }
    }
    notifyAll();
  }

  /**
   * A line will not be accepted.
   *
   * @return whether this is news
   */
  synchronized boolean refuse(long line) {
    return line > acknowledged && refusedHere.add(line);
  }

  synchronized long acknowledged() {
    return acknowledged;
  }

  synchronized void fail(RuntimeException reason) {
    failure = reason;
    closed = true;
    notifyAll();
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
