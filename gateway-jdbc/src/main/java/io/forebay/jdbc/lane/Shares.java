/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.lane;

import io.forebay.machine.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Divides the time of a database among the lanes of a gateway by their weights, within this
 * process. Thread-safe.
 *
 * <p>This is start-time fair queueing (Goyal, Vin and Cheng 1996) for workers that run at the same
 * time. The virtual time of a lane is the time that its transactions have taken, divided by its
 * weight. Before a transaction, a lane waits while its virtual time is ahead of that of another
 * lane with work. A lane that had no work resumes at the virtual time of the others: idleness earns
 * no credit. A lane alone never waits.
 *
 * <p>A worker that has just finished one transaction and is reading the next messages has work too,
 * although it runs no transaction (the deceptive idleness of Iyer and Druschel 2001). Such a
 * promise expires, so that a paused lane does not delay the others.
 */
public final class Shares {

  /** The longest wait before a transaction. */
  static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  /** How long a worker that finished a transaction and has more to do counts as having work. */
  static final Duration PROMISE = Duration.ofMillis(100);

  /** How far ahead a lane may be, in virtual time. */
  static final Duration SLACK = Duration.ofMillis(5);

  private final LongSupplier nanos;
  private final List<Share> shares = new ArrayList<>();
  private double virtualTime;

  public Shares() {
    this(Machine::nanos);
  }

  Shares(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Adds a lane.
   *
   * @param weight from 1 on
   */
  public synchronized Share add(int weight) {
    if (weight < 1) {
      throw new IllegalArgumentException("weight is " + weight + ", minimum 1");
    }
    Share share = new Share(this, weight);
    shares.add(share);
    return share;
  }

  /** Waits until it is the lane's turn, and counts its transaction as running from then on. */
  synchronized void begin(Share.Worker worker) {
    long deadline = enter(worker) + LONGEST_WAIT.toNanos();
    try {
      long wait = waitNanos(worker);
      long left = LONGEST_WAIT.toNanos();
      while (wait > 0 && left > 0) {
        Machine.waitOn(this, Math.min(wait, left));
        wait = waitNanos(worker);
        left = deadline - nanos.getAsLong();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      start(worker);
    }
  }

  /** Counts the worker as waiting, from the time that is returned. */
  synchronized long enter(Share.Worker worker) {
    long now = advance();
    Share share = worker.share();
    if (!share.hasWork(now)) {
      share.virtualTime = Math.max(share.virtualTime, virtualTime);
    }
    worker.isNotExpected();
    share.waiting++;
    return now;
  }

  /** How long the worker must wait at least; 0: its transaction may start. */
  synchronized long waitNanos(Share.Worker worker) {
    return worker.share().waitNanos(shares, advance());
  }

  /** Counts the transaction of a waiting worker as running. */
  synchronized void start(Share.Worker worker) {
    advance();
    worker.share().waiting--;
    worker.share().running++;
    notifyAll();
  }

  /**
   * Counts a transaction as ended.
   *
   * @param more whether the worker will begin another one at once
   */
  synchronized void end(Share.Worker worker, boolean more) {
    long now = advance();
    worker.share().running--;
    if (more) {
      worker.isExpectedUntil(now + PROMISE.toNanos());
    }
    notifyAll();
  }

  synchronized void close(Share.Worker worker) {
    worker.share().remove(worker);
    notifyAll();
  }

  /** Brings the virtual times to the present, which is returned. */
  private long advance() {
    long now = nanos.getAsLong();
    double least = Double.POSITIVE_INFINITY;
    for (Share share : shares) {
      share.advance(now);
      if (share.hasWork(now)) {
        least = Math.min(least, share.virtualTime);
      }
    }
    if (least != Double.POSITIVE_INFINITY) {
      virtualTime = Math.max(virtualTime, least);
    }
    return now;
  }
}
