/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.background.Outage;
import io.forebay.background.TailLoop;
import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the out-queue of a service on its own thread, from where the partitions end at the start.
 * After an outage of the queue or an error, it resumes at the same position.
 */
final class ReplyTail implements TailLoop.Reader, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ReplyTail.class);
  private static final Duration LONGEST_IDLE = Duration.ofMillis(1);
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
  private final boolean[] overtaken;
  private final TailLoop loop;
  private volatile @Nullable RuntimeException failure;

  /**
   * @param ended called when nothing more will be read
   */
  ReplyTail(MessageQueue out, Handler handler, Consumer<TransportFailed> ended) {
    this.out = out;
    this.handler = handler;
    this.ended = ended;
    overtaken = new boolean[out.partitions()];
    loop =
        new TailLoop(
            "forebay-" + out.name() + "-chunks",
            out,
            this,
            Idle.backOff(LONGEST_IDLE),
            new Outage(log, "Reading replies of " + out.name(), "it is retried"));
  }

  void start() {
    loop.startAll();
  }

  /** As {@link TailLoop#awaitReading}. */
  boolean awaitReading(Duration atMost) throws InterruptedException {
    boolean reading = loop.awaitReading(atMost);
    if (!reading && Thread.interrupted()) {
      throw new InterruptedException();
    }
    return reading;
  }

  @Nullable RuntimeException failure() {
    return failure;
  }

  @Override
  public void open(Tailer tailer, long resume) {
    if (resume < 0) {
      tailer.toEnd();
    } else {
      tailer.seek(resume);
    }
  }

  @Override
  public int read(Tailer tailer) {
    return tailer.poll(
        AT_ONCE, (position, message) -> handle(tailer.partition(), position, message));
  }

  /** Chunks whose replies were deleted fail when the first remaining reply is read. */
  @Override
  public void missed(int partition) {
    overtaken[partition] = true;
  }

  @Override
  public void ended(@Nullable RuntimeException reason) {
    failure = reason;
    if (reason == null) {
      ended.accept(
          TransportFailed.unknown("the client of %s was closed".formatted(out.name()), null));
      return;
    }
    log.error("Replies of {} cannot be read; chunks that wait for them fail", out.name(), reason);
    ended.accept(
        TransportFailed.unknown(
            "replies of %s can no longer be read".formatted(out.name()), reason));
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
    loop.close();
  }
}
