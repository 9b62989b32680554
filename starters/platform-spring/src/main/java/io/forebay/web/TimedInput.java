/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The body of a request, which must arrive within a minute, and a second more for each 256 KB that
 * it announces. The time-out of the server begins again with each byte, so a slow client could hold
 * for ever what its request takes. For one thread.
 */
public final class TimedInput extends FilterInputStream {

  /** How long a small body, or a line of a stream, may take from its first byte to its end. */
  public static final Duration LONGEST = Duration.ofSeconds(60);

  private static final long BYTES_PER_SECOND = 256 << 10;

  private final LongSupplier nanoClock;
  private final long longest;
  private final long begun;

  /**
   * @param length the length of the body; negative if it is not announced
   */
  public TimedInput(InputStream in, long length, LongSupplier nanoClock) {
    super(in);
    this.nanoClock = nanoClock;
    longest = LONGEST.plusSeconds(Math.max(0, length) / BYTES_PER_SECOND).toNanos();
    begun = nanoClock.getAsLong();
  }

  @Override
  public int read() throws IOException {
    return inTime(super.read());
  }

  /**
   * @throws SocketTimeoutException if the time is over
   */
  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    return inTime(super.read(bytes, offset, length));
  }

  private int inTime(int read) throws SocketTimeoutException {
    if (nanoClock.getAsLong() - begun > longest) {
      throw new SocketTimeoutException("the body did not arrive in time");
    }
    return read;
  }
}
