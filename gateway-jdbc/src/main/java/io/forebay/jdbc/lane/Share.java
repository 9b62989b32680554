/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.lane;

import java.util.ArrayList;
import java.util.List;

/** The share of one lane. Its state is guarded by its {@link Shares}. */
public final class Share {

  private final Shares shares;
  private final int weight;
  private final List<Worker> workers = new ArrayList<>();
  private long asOf;

  /** The time that its transactions took, in nanoseconds, divided by its weight. */
  double virtualTime;

  int running;
  int waiting;

  Share(Shares shares, int weight) {
    this.shares = shares;
    this.weight = weight;
  }

  /** Adds a thread that performs transactions one after another. Close it afterwards. */
  public Worker addWorker() {
    synchronized (shares) {
      Worker worker = new Worker();
      workers.add(worker);
      return worker;
    }
  }

  void remove(Worker worker) {
    workers.remove(worker);
  }

  void advance(long now) {
    virtualTime += (double) running * (now - asOf) / weight;
    asOf = now;
  }

  boolean hasWork(long now) {
    return running > 0 || waiting > 0 || workers.stream().anyMatch(it -> it.isExpected(now));
  }

  /**
   * How long it waits at least until its virtual time is not ahead of that of any lane with work; 0
   * if it is not ahead. The virtual time of a lane that runs no transaction stands still: until
   * that changes, the wait is that for the end of a promise.
   */
  long waitNanos(List<Share> all, long now) {
    long wait = 0;
    for (Share other : all) {
      double ahead = virtualTime - other.virtualTime - Shares.SLACK.toNanos();
      if (other != this && ahead > 0 && other.hasWork(now)) {
        wait =
            Math.max(
                wait,
                other.running > 0
                    ? (long) (ahead * other.weight / other.running) + 1
                    : Shares.PROMISE.toNanos());
      }
    }
    return wait;
  }

  /** A thread that performs transactions. For that thread. */
  public final class Worker implements AutoCloseable {

    private boolean expected;
    private long expectedUntil;

    private Worker() {}

    /** Waits until a transaction of the lane may begin, 1 s at most. */
    public void begin() {
      shares.begin(this);
    }

    /**
     * Ends the transaction, committed or not.
     *
     * @param more whether the next one follows at once, because messages wait
     */
    public void end(boolean more) {
      shares.end(this, more);
    }

    /** Says that no more transactions follow. */
    @Override
    public void close() {
      shares.close(this);
    }

    Share share() {
      return Share.this;
    }

    void isExpectedUntil(long time) {
      expected = true;
      expectedUntil = time;
    }

    void isNotExpected() {
      expected = false;
    }

    boolean isExpected(long now) {
      return expected && now - expectedUntil < 0;
    }
  }
}
