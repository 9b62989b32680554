/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the out-queue of a service on its own thread, from where the partitions end at the start.
 * While the queue's server does not respond, reading pauses, and then resumes at the same position.
 */
final class ReplyTail implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ReplyTail.class);
  private static final Duration LONGEST_IDLE = Duration.ofMillis(1);
  private static final long RETRY_NANOS = 200_000_000;
  private static final int AT_ONCE = 100;

  @FunctionalInterface
  interface Handler {
    /** Takes one message. */
    void handle(int partition, long position, ByteBuffer message);

    /**
     * Called when replies were deleted before they were read.
     *
     * @param source the position of the message that the first remaining reply answers
     */
    default void missedBefore(int partition, long source) {}
  }

  private final MessageQueue out;
  private final Handler handler;
  private final Consumer<TransportFailed> ended;
  private final long[] positions;
  private final boolean[] overtaken;
  private final CountDownLatch reading = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable RuntimeException failure;

  /**
   * @param ended called when nothing more will be read
   */
  ReplyTail(MessageQueue out, Handler handler, Consumer<TransportFailed> ended) {
    this.out = out;
    this.handler = handler;
    this.ended = ended;
    positions = new long[out.partitions()];
    Arrays.fill(positions, -1);
    overtaken = new boolean[out.partitions()];
    thread =
        Thread.ofPlatform().name("forebay-" + out.name() + "-chunks").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /**
   * Waits until every message appended from now on will be read.
   *
   * @return false if that takes too long or will never happen
   */
  boolean awaitReading(long until) throws InterruptedException {
    return reading.await(until - System.nanoTime(), TimeUnit.NANOSECONDS) && !closed;
  }

  @Nullable RuntimeException failure() {
    return failure;
  }

  private void run() {
    try {
      while (!closed) {
        List<Tailer> tailers = new ArrayList<>();
        try {
          open(tailers);
          reading.countDown();
          read(tailers);
        } catch (QueueUnavailable e) {
          log.warn("Replies of {} are not read at present: {}", out.name(), e.getMessage());
          LockSupport.parkNanos(RETRY_NANOS);
        } finally {
          tailers.forEach(Tailer::close);
        }
      }
      end("the client of %s was closed".formatted(out.name()), null);
    } catch (RuntimeException e) {
      log.error("Replies of {} cannot be read; chunks that wait for them fail", out.name(), e);
      failure = e;
      end("replies of %s cannot be read any more".formatted(out.name()), e);
    } catch (Error e) {
      RuntimeException wrapped =
          new IllegalStateException("the thread that reads replies ended", e);
      failure = wrapped;
      end("replies of %s cannot be read any more".formatted(out.name()), wrapped);
      log.error("Replies of {} cannot be read; chunks that wait for them fail", out.name(), e);
    }
  }

  private void end(String what, @Nullable RuntimeException cause) {
    closed = true;
    Message.clear();
    ended.accept(TransportFailed.unknown(what, cause));
    reading.countDown();
  }

  private void open(List<Tailer> tailers) {
    for (int partition = 0; partition < positions.length; partition++) {
      Tailer tailer = out.tailer(partition);
      tailers.add(tailer);
      if (positions[partition] < 0) {
        tailer.toEnd();
        positions[partition] = tailer.position();
      } else {
        seek(tailer, positions[partition]);
      }
    }
  }

  private void seek(Tailer tailer, long position) {
    try {
      tailer.seek(position);
    } catch (PositionOutOfRange e) {
      toFirstKept(tailer, e);
    }
  }

  /** Skips to the first remaining reply. Chunks whose replies were deleted fail when it is read. */
  private void toFirstKept(Tailer tailer, PositionOutOfRange reason) {
    log.warn("{}; replies of {} are read from the first one kept", reason.getMessage(), out.name());
    tailer.toStart();
    overtaken[tailer.partition()] = true;
  }

  private void read(List<Tailer> tailers) {
    Idle idle = Idle.backOff(LONGEST_IDLE);
    int idleTurns = 0;
    while (!closed) {
      int count = 0;
      for (Tailer tailer : tailers) {
        count += poll(tailer);
        positions[tailer.partition()] = tailer.position();
      }
      idleTurns = count > 0 ? 0 : idleTurns + 1;
      if (idleTurns > 0) {
        idle.idle(idleTurns, tailers.getFirst());
      }
    }
  }

  private int poll(Tailer tailer) {
    try {
      return tailer.poll(
          AT_ONCE, (position, message) -> handle(tailer.partition(), position, message));
    } catch (PositionOutOfRange e) {
      toFirstKept(tailer, e);
      return 1;
    }
  }

  private void handle(int partition, long position, ByteBuffer message) {
    try {
      if (overtaken[partition]) {
        Message.peek(out.name(), partition, position, message)
            .source()
            .ifPresent(source -> handler.missedBefore(partition, source));
        overtaken[partition] = false;
      }
      handler.handle(partition, position, message);
    } catch (UndecodableMessage e) {
      log.warn("{}; the next reply follows", e.getMessage());
    }
  }

  @Override
  public void close() {
    closed = true;
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
