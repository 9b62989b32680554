/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.UndecodableMessage;
import io.forebay.queue.Tailer;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.errors.DeadLetterSink;
import io.forebay.service.progress.PartitionProgress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes messages to the component until none is left or the batch is full. {@link #call} runs per
 * message; the benchmark {@code burst} guards it. For the thread of the partition.
 */
final class MessageBatch<I, O> {

  private static final Logger log = LoggerFactory.getLogger(MessageBatch.class);
  private static final long LONGEST_NANOS = 50_000_000;
  private static final Duration A_MOMENT = Duration.ofMillis(10);

  private final ServiceParts<I, O> parts;
  private final int partition;
  private final I component;
  private final @Nullable BatchAware batchAware;
  private final Output<O> answers;
  private final PartitionProgress progress;
  private final Waits waits;
  private final Workload workload;
  private final @Nullable CallGuard<I> guard;
  private final CallReader<I> reader;
  private final long[] acceptedMicros;
  private long begunNanos;
  private int size;
  private long bytes;
  private long answered;
  private long readMicros;
  private long performedMicros;

  MessageBatch(
      ServiceParts<I, O> parts,
      int partition,
      I component,
      Output<O> answers,
      PartitionProgress progress,
      Waits waits,
      Workload workload) {
    this.parts = parts;
    this.partition = partition;
    this.component = component;
    this.batchAware = component instanceof BatchAware aware ? aware : null;
    if (batchAware != null && parts.in().protocol().hasResults()) {
      throw new IllegalStateException(
          "%s is BatchAware, so the methods of its calls must return void"
              .formatted(component.getClass().getTypeName()));
    }
    this.answers = answers;
    this.progress = progress;
    this.waits = waits;
    this.workload = workload;
    this.reader =
        parts
            .in()
            .protocol()
            .reader(parts.in().queue().name(), component, answers, this::untilComplete);
    DeadLetterQueue letters = parts.deadLetters();
    this.guard =
        letters == null || batchAware != null
            ? null
            : new CallGuard<>(parts, letters, partition, reader, answers, waits);
    this.acceptedMicros = new long[parts.options().maxBatch()];
  }

  /**
   * Prepares for the first batch.
   *
   * @param from the position behind the last message performed and answered
   */
  void open(long from) {
    if (guard != null) {
      guard.open(from);
    }
  }

  /**
   * Performs one batch.
   *
   * @param from the position behind the last message performed and answered
   * @return the number of its messages
   */
  int perform(Tailer tailer, long from) {
    answered = from;
    read(tailer);
    if (size == 0) {
      return 0;
    }
    readMicros = parts.time().micros();
    long to = tailer.position();
    BatchAware batch = batchAware;
    if (batch != null) {
      progress.endsBatch();
      waits.untilAvailable(() -> batch.endBatch(to));
    }
    performedMicros = parts.time().micros();
    CrashPoint.hit("before-answers");
    if (batch != null) {
      waits.untilAvailable(batch::answerBatch);
    }
    waits.untilAvailable(answers::publish);
    Message.clear();
    CrashPoint.hit("after-answers");
    return size;
  }

  /** Counts the messages of the batch that was performed, and ends its time. */
  void count() {
    Counts counts = parts.counts();
    counts.performed().add(size);
    counts
        .latency()
        .record(
            acceptedMicros,
            size,
            new Latency.Times(readMicros, performedMicros, parts.time().micros()));
    workload.end();
  }

  private void read(Tailer tailer) {
    size = 0;
    bytes = 0;
    try {
      tailer.poll(progress.atMost(acceptedMicros.length), this::call);
    } catch (Full e) {
      // the message that did not fit is the first of the next batch
    }
  }

  private void call(long position, ByteBuffer message) {
    bytes += message.remaining();
    if (size > 0 && isFull()) {
      throw Full.INSTANCE;
    }
    if (size == 0) {
      workload.begin();
      begunNanos = parts.time().nanos();
      if (batchAware != null) {
        batchAware.beginBatch(partition, position);
      }
    }
    progress.performs(position, message);
    Message envelope = guard == null ? read(position, message) : guard.perform(position, message);
    long accepted = envelope == null ? parts.time().micros() : envelope.appendMicros();
    if (size == 0) {
      workload.head(answered, accepted);
    }
    acceptedMicros[size++] = accepted;
    if (guard == null && batchAware == null && envelope != null) {
      answerAtOnce(envelope);
    }
  }

  /**
   * A component that is called message by message must not delay the answers that it has given: a
   * shared queue makes them visible at the end of the batch.
   */
  private boolean isFull() {
    return bytes > parts.options().maxBatchBytes()
        || batchAware == null && parts.time().nanos() - begunNanos > LONGEST_NANOS;
  }

  private @Nullable Object untilComplete(CompletableFuture<?> result) throws Throwable {
    if (!waits.isComplete(result, A_MOMENT)) {
      waits.untilAvailable(answers::publishAppended);
    }
    CallGuard<I> operators = guard;
    return waits.untilComplete(result, operators == null ? () -> null : operators::awaitsResult);
  }

  private @Nullable Message read(long position, ByteBuffer message) {
    try {
      return reader.read(partition, position, message);
    } catch (UndecodableMessage e) {
      return deadLetter(position, message, e);
    }
  }

  /** A component whose progress is the out-queue must append a frame for each message. */
  private void answerAtOnce(Message message) {
    waits.untilAvailable(() -> answers.empty(message));
  }

  private @Nullable Message deadLetter(
      long position, ByteBuffer message, UndecodableMessage reason) {
    log.error("Dead letter: {}; the service continues with the next message", reason.getMessage());
    parts.counts().deadLetters().increment();
    if (component instanceof DeadLetterSink letters) {
      letters.deadLetter(partition, position, message, reason);
    }
    return reason.envelope();
  }

  /** Thrown for the message that would make the batch too large; the message counts as unread. */
  private static final class Full extends RuntimeException {
    private static final long serialVersionUID = 1;
    static final Full INSTANCE = new Full();

    private Full() {
      super(null, null, false, false);
    }
  }
}
