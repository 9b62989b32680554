/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.body;

import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import io.forebay.web.TimedInput;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Splits a request body into lines, in a buffer that grows to the length of the longest line. For
 * one thread.
 */
public final class LineReader implements AutoCloseable {

  public static final int BUFFER = 64 << 10;

  /** How much of a line that is too long is skipped before reading ends. */
  private static final long LONGEST_SKIP = 64L << 20;

  private final InputStream in;
  private final int longest;
  private final ByteBudget budget;
  private final LongSupplier nanoClock;
  private ByteBudget.Share share;
  private byte[] buffer = new byte[BUFFER];
  private int start;
  private int end;
  private int next;
  private int limit;
  private boolean tooLong;
  private boolean ended;

  /**
   * @param longest the most bytes that a line may have
   * @param budget counts the buffer
   * @throws Problem if the budget is exhausted
   */
  public LineReader(InputStream in, int longest, ByteBudget budget) {
    this(in, longest, budget, System::nanoTime);
  }

  LineReader(InputStream in, int longest, ByteBudget budget, LongSupplier nanoClock) {
    this.in = in;
    this.longest = longest;
    this.budget = budget;
    this.nanoClock = nanoClock;
    this.share = taken(BUFFER);
  }

  private ByteBudget.Share taken(int bytes) {
    return budget.demand(bytes, "Bodies of %s take the memory there is for them");
  }

  /**
   * Moves to the next line.
   *
   * @return false at the end of the body
   * @throws Problem if the line never ends
   * @throws SocketTimeoutException if the line does not end in time, or nothing arrives
   */
  public boolean next() throws IOException {
    tooLong = false;
    long skipped = 0;
    long begun = 0;
    start = next;
    if (buffer.length > BUFFER && limit - start < BUFFER) {
      makeRoom();
      buffer = Arrays.copyOf(buffer, BUFFER);
      share.shrink(BUFFER);
    }
    int from = start;
    while (true) {
      int newline = indexOfNewline(from);
      if (newline >= 0) {
        finish(newline, newline + 1);
        return true;
      }
      from = limit;
      if (ended) {
        finish(limit, limit);
        return tooLong || end > start;
      }
      if (limit - start > longest + 1) { // a line of the longest length may end in CR
        tooLong = true;
        skipped += limit - start;
        if (skipped > LONGEST_SKIP) {
          throw new Problem(ProblemType.TOO_LARGE, "A line has no end").with("limitBytes", longest);
        }
        start = limit;
      }
      makeRoom();
      from = limit;
      boolean isBegun = limit > start || skipped > 0;
      if (isBegun && begun == 0) {
        begun = nanoClock.getAsLong();
      }
      fill();
      if (isBegun && nanoClock.getAsLong() - begun > TimedInput.LONGEST.toNanos()) {
        throw new SocketTimeoutException("a line did not end in time");
      }
    }
  }

  private void finish(int lineEnd, int after) {
    end = lineEnd > start && buffer[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
    next = after;
    tooLong |= end - start > longest;
  }

  private int indexOfNewline(int from) {
    for (int i = from; i < limit; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  /** Moves the begun line to the start of the buffer, and enlarges a full buffer. */
  private void makeRoom() {
    if (start > 0) {
      System.arraycopy(buffer, start, buffer, 0, limit - start);
      limit -= start;
      start = 0;
    }
    if (limit == buffer.length) {
      int larger = Math.min(2 * buffer.length, longest + 3);
      share.close(); // first, because the budget may be for one longest line only
      share = taken(larger);
      buffer = Arrays.copyOf(buffer, larger);
    }
  }

  /** Waits for bytes, and takes all that have arrived. */
  private void fill() throws IOException {
    do {
      int count = in.read(buffer, limit, buffer.length - limit);
      if (count < 0) {
        ended = true;
        return;
      }
      limit += count;
    } while (limit < buffer.length && in.available() > 0);
  }

  /** Whether the next line has arrived, so that {@link #next} does not wait. */
  public boolean hasArrived() {
    return ended || indexOfNewline(next) >= 0;
  }

  public boolean isTooLong() {
    return tooLong;
  }

  /** Whether it is a line of spaces and tabs. */
  public boolean isBlank() {
    if (tooLong) {
      return false; // the buffer has only its end
    }
    for (int i = start; i < end; i++) {
      if (buffer[i] != ' ' && buffer[i] != '\t') {
        return false;
      }
    }
    return true;
  }

  /**
   * The line is in these bytes, from {@link #start} to {@link #end}, until the next one is read.
   */
  public byte[] bytes() {
    return buffer;
  }

  public int start() {
    return start;
  }

  public int end() {
    return end;
  }

  public int length() {
    return end - start;
  }

  @Override
  public void close() {
    share.close();
  }
}
