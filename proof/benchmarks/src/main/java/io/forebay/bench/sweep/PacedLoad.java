/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages when they are due. A subclass sends them, and reports each when it is complete,
 * from any thread. One thread at a time runs it.
 *
 * <p>A run of a length is preceded by a warm-up of a fifth of that length at the same rate. It ends
 * early if half of all its messages wait to be completed, or if sending them takes twice as long as
 * planned.
 */
public abstract class PacedLoad implements Load {

  /** Latencies above are counted as this. */
  public static final Duration SLOWEST = Duration.ofSeconds(100);

  private static final int DIGITS = 3;
  private static final int QUARTERS = 4;
  private static final int WARMUP_PART = 5;
  private static final long LEAD_NANOS = 1_000_000;
  private static final long POLL_NANOS = 100_000;
  private static final long LOOK_EVERY = 64;

  private final Ticker ticker;
  private final Duration patience;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile @Nullable Run current;

  /** The time; a test sets it. */
  interface Ticker {

    long nanos();

    /** Returns when this time is reached; exactly, if that is less than a tenth of a ms ahead. */
    void await(long nanos);
  }

  /**
   * @param patience how long a run waits for its messages after the last one was sent
   */
  protected PacedLoad(Duration patience) {
    this(patience, new SystemTicker());
  }

  PacedLoad(Duration patience, Ticker ticker) {
    this.patience = patience;
    this.ticker = ticker;
  }

  /**
   * Sends a message, in the thread of {@link #run}. It may block: what it delays is counted.
   *
   * @param due identifies the message: {@link #completed} expects it; a {@link System#nanoTime()}
   */
  protected abstract void send(long due) throws InterruptedException;

  /** Must be called once for each message, when it is complete; in any thread. */
  protected final void completed(long due) {
    Run run = current;
    if (run != null) {
      run.completed(due, ticker.nanos());
    }
  }

  /** Ends the current run: it throws this. In any thread. */
  protected final void failed(Throwable reason) {
    failure.compareAndSet(null, reason);
  }

  @Override
  public final Measurement run(long perSecond, Duration length) throws InterruptedException {
    if (perSecond < 1) {
      throw new IllegalArgumentException("a rate is at least 1 per second (" + perSecond + ")");
    }
    Run run = new Run(perSecond, length, ticker.nanos() + LEAD_NANOS);
    current = run;
    run.send();
    run.awaitCompletion();
    current = null;
    return run.measured();
  }

  private final class Run {

    private final long perSecond;
    private final Duration length;
    private final long begin;
    private final long counted;
    private final long end;
    private final AtomicHistogram[] quarters = new AtomicHistogram[QUARTERS];
    private final AtomicLong complete = new AtomicLong();
    private final AtomicLong firstCompletion = new AtomicLong(Long.MIN_VALUE);
    private volatile long lastCompletion;
    private long sentUntil;
    private long sent;
    private boolean givenUp;

    Run(long perSecond, Duration length, long begin) {
      this.perSecond = perSecond;
      this.length = length;
      this.begin = begin;
      counted = begin + length.toNanos() / WARMUP_PART;
      end = counted + length.toNanos();
      for (int i = 0; i < QUARTERS; i++) {
        quarters[i] = new AtomicHistogram(SLOWEST.toNanos(), DIGITS);
      }
    }

    void send() throws InterruptedException {
      for (long due = begin; due - end < 0; due = due(sent)) {
        ticker.await(due);
        rethrow();
        if (sent % LOOK_EVERY == 0 && isHopeless()) {
          givenUp = true;
          break;
        }
        PacedLoad.this.send(due);
        sent++;
      }
      sentUntil = givenUp ? ticker.nanos() : end;
    }

    long due(long number) {
      return begin + (long) (number * 1e9 / perSecond);
    }

    private boolean isHopeless() {
      return sent - complete.get() > perSecond * (length.toNanos() / 2e9) + LOOK_EVERY
          || ticker.nanos() - begin > 2 * (end - begin);
    }

    private void rethrow() throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      Throwable reason = failure.get();
      if (reason != null) {
        throw new IllegalStateException("the load failed at " + perSecond + " per second", reason);
      }
    }

    void completed(long due, long at) {
      if (due - counted >= 0) {
        int quarter = (int) ((due - counted) * QUARTERS / length.toNanos());
        quarters[Math.min(quarter, QUARTERS - 1)].recordValue(
            Math.clamp(at - due, 0, SLOWEST.toNanos()));
      }
      if (firstCompletion.getPlain() == Long.MIN_VALUE) {
        firstCompletion.compareAndSet(Long.MIN_VALUE, at);
      }
      lastCompletion = at;
      complete.incrementAndGet();
    }

    void awaitCompletion() throws InterruptedException {
      long until = ticker.nanos() + patience.toNanos();
      while (complete.get() < sent) {
        rethrow();
        if (ticker.nanos() - until > 0) {
          throw new IllegalStateException(
              "messages were not completed at %,d per second (%,d of %,d complete %d s after the last was sent)"
                  .formatted(perSecond, complete.get(), sent, patience.toSeconds()));
        }
        ticker.await(ticker.nanos() + POLL_NANOS);
      }
      rethrow();
    }

    Measurement measured() {
      Histogram all = new Histogram(SLOWEST.toNanos(), DIGITS);
      for (AtomicHistogram quarter : quarters) {
        all.add(quarter);
      }
      double sentPerSecond = sent * 1e9 / (sentUntil - begin);
      long span = Math.max(1, lastCompletion - firstCompletion.get());
      return new Measurement(
          all,
          length,
          quarters[0].getValueAtPercentile(50),
          quarters[QUARTERS - 1].getValueAtPercentile(50),
          sent > 1 ? Math.min(sentPerSecond, (sent - 1) * 1e9 / span) : sentPerSecond,
          givenUp);
    }
  }

  private static final class SystemTicker implements Ticker {

    /** A parked thread wakes later than it asked for. */
    private static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public void await(long nanos) {
      for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
        if (left > SPIN_NANOS) {
          LockSupport.parkNanos(left - SPIN_NANOS);
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }
}
