/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.background.Outage;
import io.forebay.background.TailerLoop;
import io.forebay.call.AnswerRun;
import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Receipt;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the results of a client from the end of the out-queue, and completes its futures. */
final class ResultTail implements TailerLoop.Reader {

  private static final Logger log = LoggerFactory.getLogger(ResultTail.class);
  private static final long NOT_PLACED_NANOS = 1_000_000;
  private static final int AT_ONCE = 1_000;

  private final String queue;
  private final StatementClient client;
  private final Outstanding outstanding;
  private final ResultCollector collector = new ResultCollector();
  private final CallReader<JDBCResult> reader;

  /** Why this process cannot read results any more; null if it can. */
  private volatile @Nullable RuntimeException failure;

  private volatile ResultListener listener = ResultListener.NONE;

  ResultTail(
      MessageQueue out,
      Protocol<JDBCResult> results,
      Outstanding outstanding,
      StatementClient client) {
    this.queue = out.name();
    this.client = client;
    this.outstanding = outstanding;
    this.reader = results.reader(queue, collector);
  }

  /** A thread of its own calls {@link #complete} for each result. */
  TailerLoop loop(MessageQueue out) {
    return new TailerLoop(
        "forebay-" + queue + "-client",
        out,
        this,
        Idle.backOff(TailerLoop.LONGEST_IDLE),
        new Outage(log, "Reading results of " + queue, "it is retried"));
  }

  boolean hasFailed() {
    return failure != null;
  }

  void listen(ResultListener toAll) {
    listener = toAll;
  }

  @Override
  public void open(Tailer tailer, long resume) {
    tailer.toEnd();
  }

  @Override
  public int read(Tailer tailer) {
    int partition = tailer.partition();
    ResultListener toAll = listener;
    toAll.begins(partition, tailer.position());
    int count;
    try {
      count =
          tailer.poll(
              AT_ONCE, (position, message) -> complete(partition, position, message, toAll));
    } catch (Outstanding.NotPlacedYet e) {
      count = 0; // the result is read again once the position of its statement is known
      Machine.park(NOT_PLACED_NANOS); // a wait for messages would end at once
    }
    toAll.ends(partition, tailer.position());
    return count;
  }

  private void complete(int partition, long position, ByteBuffer message, ResultListener toAll) {
    Message result = Message.peek(queue, partition, position, message);
    long source = result.source().orElse(-1);
    outstanding.read(partition, source);
    AnswerRun run = AnswerRun.of(queue, partition, position, message);
    if (run == null) {
      complete(position, new Receipt(partition, source, result.id()), () -> message);
    } else {
      for (int i = 0; i < run.count(); i++) {
        int index = i;
        complete(position, new Receipt(partition, source + i, run.id(i)), () -> run.single(index));
      }
    }
    toAll.result(partition, position, result, message);
  }

  private void complete(long position, Receipt receipt, Supplier<ByteBuffer> message) {
    Pending<?> waiting = outstanding.take(receipt);
    if (waiting != null) {
      collector.clear();
      try {
        reader.read(receipt.partition(), position, message.get());
        waiting.complete(collector);
      } catch (RuntimeException | Error e) {
        waiting.completeExceptionally(e);
      }
    }
  }

  @Override
  public void missed(int partition) {
    outstanding.overtaken(partition);
  }

  @Override
  public void failed(Error error) {
    client.failAll(
        new IllegalStateException(
            "its result was not read because of an error; get it by its receipt", error));
  }

  @Override
  public void ended(@Nullable RuntimeException reason) {
    failure = reason;
    if (reason != null) {
      log.error(
          "Results of {} cannot be read; its futures fail, and its client sends no more statements",
          queue,
          reason);
    }
    listener.closed();
    client.failAll(
        reason != null
            ? reason
            : new IllegalStateException("the client was closed; get the result by its receipt"));
  }
}
