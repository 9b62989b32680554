/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.sweep.PacedLoad;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import net.openhft.chronicle.threads.Pauser;

/**
 * Three stages between a thread that writes and one that reads. Each stage multiplies the number of
 * a message by ten. Every message must arrive once and in order.
 */
abstract class PipelineChain extends PacedLoad implements AutoCloseable {

  static final String TEXT = "Hello World";

  private static final int FACTOR = 1_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int IN_FLIGHT = 10_000;

  private final Pauser pauser = Pauser.yielding();
  private final Thread reader;
  private volatile boolean closed;
  private long sent;
  private volatile long arrived;

  PipelineChain() {
    super(PATIENCE);
    reader = Thread.ofPlatform().daemon().name("pipeline-reader").unstarted(this::read);
  }

  /** Starts to read; called last by the constructors of subclasses. */
  final void begin() {
    reader.start();
  }

  /** Writes a message to the first stage. */
  abstract void write(long number, long due);

  /**
   * Passes messages that left the last stage to {@link #arrived}.
   *
   * @return false if there are none
   */
  abstract boolean poll();

  /** Stops the stages. */
  abstract void closeStages();

  /** The bytes of all its queues. */
  abstract long storedBytes();

  @Override
  protected final void send(long due) {
    write(++sent, due);
  }

  final long sent() {
    return sent;
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread writes it
  final void arrived(long number, long due) {
    long expected = arrived + 1;
    if (number != expected * FACTOR) {
      throw new IllegalStateException(
          "number %,d left the last stage instead of %,d".formatted(number, expected * FACTOR));
    }
    arrived = expected;
    completed(due);
  }

  private void read() {
    try {
      while (!closed) {
        if (poll()) {
          pauser.reset();
        } else {
          pauser.pause();
        }
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** Sends messages as fast as possible, with so many at most on their way. */
  final void burst(long messages) throws InterruptedException {
    for (long i = 0; i < messages; i++) {
      while (sent - arrived >= IN_FLIGHT) {
        LockSupport.parkNanos(50_000);
      }
      send(System.nanoTime());
    }
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (arrived < sent) {
      if (System.nanoTime() > until || !reader.isAlive()) {
        throw new IllegalStateException("%,d of %,d messages arrived".formatted(arrived, sent));
      }
      Thread.sleep(1);
    }
  }

  @Override
  public final void close() {
    closed = true;
    try {
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeStages();
  }
}
