/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongUnaryOperator;

/**
 * A server with one queue: it takes a time for each message, one after the other. It and the load
 * share a settable clock, so its latencies are exact.
 */
final class SimulatedServer extends PacedLoad {

  private final Clock clock;
  private final LongUnaryOperator serviceNanos;
  private final boolean blocking;
  private final Deque<long[]> waiting = new ArrayDeque<>();
  private long freeAt = Long.MIN_VALUE;
  private long number;

  /**
   * @param serviceNanos how long a message takes, by its number
   */
  static SimulatedServer of(LongUnaryOperator serviceNanos) {
    return new SimulatedServer(new Clock(), serviceNanos, false);
  }

  /** A server that blocks the sender until a message is complete. */
  static SimulatedServer blocking(LongUnaryOperator serviceNanos) {
    return new SimulatedServer(new Clock(), serviceNanos, true);
  }

  private SimulatedServer(Clock clock, LongUnaryOperator serviceNanos, boolean blocking) {
    super(Duration.ofSeconds(10), clock);
    this.clock = clock;
    this.serviceNanos = serviceNanos;
    this.blocking = blocking;
    clock.server = this;
  }

  @Override
  protected void send(long due) {
    freeAt = Math.max(freeAt, clock.now) + serviceNanos.applyAsLong(number++);
    waiting.add(new long[] {due, freeAt});
    if (blocking) {
      clock.await(freeAt);
    }
  }

  /** Moves in time from one completion to the next. */
  private static final class Clock implements Ticker {

    private SimulatedServer server;
    private long now = -3_000_000;

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public void await(long nanos) {
      while (!server.waiting.isEmpty() && server.waiting.peek()[1] - nanos <= 0) {
        long[] next = server.waiting.poll();
        now = next[1];
        server.completed(next[0]);
      }
      if (nanos - now > 0) {
        now = nanos;
      }
    }
  }
}
