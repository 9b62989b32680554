/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.background.Outage;
import io.forebay.background.TailLoop;
import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Receipt;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the results of a client from the end of the out-queue, and completes its futures. */
final class ResultTail implements TailLoop.Reader, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ResultTail.class);
  private static final Duration LONGEST_IDLE = Duration.ofMillis(1);
  private static final Duration LONGEST_REST = Duration.ofMillis(50);
  private static final int TURNS_BEFORE_REST = 100;
  private static final int AT_ONCE = 1_000;

  private final String queue;
  private final StatementClient client;
  private final MissedResults missed;
  private final Collector collector = new Collector();
  private final CallReader<JDBCResult> reader;
  private final Idle backOff = Idle.backOff(LONGEST_IDLE);
  private final TailLoop loop;

  /** Why this process cannot read results any more; null if it can. */
  private volatile @Nullable RuntimeException failure;

  /** The tailer on which the thread waits while nothing is outstanding. */
  private volatile @Nullable Tailer resting;

  ResultTail(
      MessageQueue out,
      Protocol<JDBCResult> results,
      MissedResults missed,
      StatementClient client) {
    this.queue = out.name();
    this.client = client;
    this.missed = missed;
    this.reader = results.reader(queue, collector);
    this.loop =
        new TailLoop(
            "forebay-" + queue + "-client",
            out,
            this,
            this::idle,
            new Outage(log, "Reading results of " + queue, "it is retried"));
  }

  void start() {
    loop.startAll();
  }

  /** Until then no statement is sent, because its result could be missed. */
  boolean isReading() {
    return loop.isReading();
  }

  boolean awaitReading(Duration atMost) {
    return loop.awaitReading(atMost);
  }

  boolean hasFailed() {
    return failure != null;
  }

  boolean isClosed() {
    return loop.isClosed();
  }

  /** Ends a wait of the thread for the next submission. */
  void wake() {
    Tailer asleep = resting;
    if (asleep != null) {
      asleep.wake();
    }
  }

  @Override
  public void open(Tailer tailer) {
    tailer.toEnd();
  }

  @Override
  public int read(Tailer tailer) {
    int partition = tailer.partition();
    try {
      return tailer.poll(AT_ONCE, (position, message) -> complete(partition, position, message));
    } catch (Acceptances.NotPlacedYet e) {
      return 0; // the result is read again once the position of its statement is known
    }
  }

  private void complete(int partition, long position, ByteBuffer message) {
    Message result = Message.peek(queue, partition, position, message);
    long source = result.source().orElse(-1);
    missed.read(partition, source);
    Answer<?> answer = client.remove(new Receipt(partition, source, result.id()));
    if (answer != null) {
      collector.clear();
      try {
        reader.read(partition, position, message);
        answer.complete(collector);
      } catch (RuntimeException | Error e) {
        answer.pending().completeExceptionally(e);
      }
    }
  }

  /** Sleeps until the next submission if nothing is outstanding. */
  private void idle(int turns, Tailer tailer) {
    if (turns <= TURNS_BEFORE_REST || client.outstanding() > 0) {
      backOff.idle(turns, tailer);
      return;
    }
    resting = tailer;
    try {
      if (client.outstanding() == 0) {
        tailer.await(LONGEST_REST);
      }
    } finally {
      resting = null;
    }
  }

  @Override
  public void missed(Tailer tailer, PositionOutOfRange reason) {
    missed.overtaken(tailer, reason);
  }

  @Override
  public void failed(Error error) {
    client.failAll(
        new IllegalStateException(
            "its result was not read because of an error; ask for it by its receipt", error));
  }

  @Override
  public void ended(@Nullable RuntimeException reason) {
    failure = reason;
    if (reason != null) {
      log.error(
          "results of {} cannot be read; its futures fail and its client hands over nothing more",
          queue,
          reason);
    }
    client.failAll(
        reason != null
            ? reason
            : new IllegalStateException(
                "the client was closed; ask for the result by its receipt"));
  }

  @Override
  public void close() {
    loop.close();
  }
}
