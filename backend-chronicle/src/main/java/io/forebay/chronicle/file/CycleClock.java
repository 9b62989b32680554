/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.openhft.chronicle.core.time.TimeProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time that decides which file a message goes to. It follows the wall clock, never goes back,
 * and never jumps by more than an hour: Chronicle refuses appends to an earlier file, and messages
 * in a future file would be overtaken by later ones. The time changes only when {@link #advance()}
 * is called, not at each append.
 */
public final class CycleClock implements TimeProvider {

  private static final Logger LOG = LoggerFactory.getLogger(CycleClock.class);
  private static final long LARGEST_STEP_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final LongSupplier wallMillis;
  private final LongSupplier nanos;
  private long lastNanos;
  private boolean adrift;
  private volatile long now;

  public CycleClock(LongSupplier wallMillis, LongSupplier nanos) {
    this.wallMillis = wallMillis;
    this.nanos = nanos;
    this.now = wallMillis.getAsLong();
    this.lastNanos = nanos.getAsLong();
  }

  @Override
  public long currentTimeMillis() {
    return now;
  }

  /** Sets a lower limit: the start of the newest file. */
  synchronized void notBefore(long millis) {
    if (now < millis) {
      now = millis;
    }
  }

  public synchronized void advance() {
    long passed = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - lastNanos);
    lastNanos += TimeUnit.MILLISECONDS.toNanos(passed);
    long expected = now + passed;
    long wall = wallMillis.getAsLong();
    boolean far = Math.abs(wall - expected) > LARGEST_STEP_MILLIS;
    if (far != adrift) {
      adrift = far;
      if (far) {
        LOG.warn(
            "the wall clock jumped by {} minutes (limit={}); until it is correct, files are"
                + " rolled by elapsed time",
            TimeUnit.MILLISECONDS.toMinutes(wall - expected),
            TimeUnit.MILLISECONDS.toMinutes(LARGEST_STEP_MILLIS));
      } else {
        LOG.info("the wall clock agrees with the elapsed time again");
      }
    }
    now = far ? expected : Math.max(now, wall);
  }
}
