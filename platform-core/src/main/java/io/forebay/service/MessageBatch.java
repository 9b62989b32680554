/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.CallFailure;
import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.UndecodableMessage;
import io.forebay.machine.CrashPoint;
import io.forebay.machine.Machine;
import io.forebay.queue.Tailer;
import io.forebay.queue.time.AppendTimes;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.progress.PartitionProgress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Passes messages to the component until none is left or the batch is full. {@link #call} runs per
 * message; the benchmark {@code burst} guards it. For the thread of the partition.
 */
final class MessageBatch<I, O> {

  private static final long LONGEST_NANOS = 50_000_000;
  private static final long MOST_BYTES = 4 << 20;
  private static final Duration A_MOMENT = Duration.ofMillis(10);

  private final ServiceParts<I, O> parts;
  private final int partition;
  private final @Nullable BatchAware batchAware;
  private final Output<O> answers;
  private final PartitionProgress progress;
  private final Waits waits;
  private final Workload workload;
  private final @Nullable CallGuard<I> guard;
  private final CallReader<I> reader;
  private final Latency.Times times;
  private final AppendTimes appendTimes;
  private final Latency.OfPartition latency;
  private int size;
  private long bytes;
  private long answered;

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
    if (batchAware != null) {
      batchAware.whenAvailable(waits::available);
    } else {
      reader.recordSpans(CallGuard::error);
    }
    this.guard =
        letters == null || batchAware != null
            ? null
            : new CallGuard<>(parts, letters, partition, reader, answers, waits);
    this.times = new Latency.Times(parts.options().maxBatch());
    this.appendTimes = parts.in().queue().appendTimes();
    this.latency = parts.counts().latency().of(partition);
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
    long readNanos = parts.time().epochNanos();
    BatchAware batch = batchAware;
    if (batch == null) {
      times.performed[size - 1] = readNanos;
    } else {
      Arrays.fill(times.begun, 0, size, readNanos);
      perform(batch, tailer.position());
    }
    CrashPoint.hit("before-answers");
    if (batch != null) {
      waits.untilAvailable(batch::answerBatch);
    }
    waits.untilAvailable(answers::publish);
    Message.clear();
    CrashPoint.hit("after-answers");
    return size;
  }

  private void perform(BatchAware batch, long to) {
    waits.untilAvailable(() -> batch.endBatch(to));
    Arrays.fill(times.performed, 0, size, parts.time().epochNanos());
    answers.performed();
  }

  /** Counts the messages of the batch that was performed, and ends its time. */
  void count() {
    parts.counts().performed().add(size);
    latency.record(times, size, parts.time().epochNanos());
    workload.end();
  }

  private void read(Tailer tailer) {
    size = 0;
    bytes = 0;
    try {
      tailer.poll(progress.atMost(times.accepted.length), this::call);
    } catch (Full e) {
      // the message that did not fit is the first of the next batch
    }
  }

  private void call(long position, ByteBuffer message) {
    bytes += message.remaining();
    long now = batchAware == null ? parts.time().epochNanos() : 0;
    if (size > 0) {
      times.performed[size - 1] = now;
      if (isFull(now)) {
        throw Full.INSTANCE;
      }
    } else {
      workload.begin();
      if (batchAware != null) {
        batchAware.beginBatch(partition, position);
      }
    }
    times.begun[size] = now;
    progress.performs(position, message);
    Message envelope = guard == null ? read(position, message) : guard.perform(position, message);
    long accepted =
        envelope == null
            ? parts.time().epochNanos()
            : appendTimes.nanos(partition, envelope.appendMicros());
    if (size == 0) {
      workload.head(answered, accepted / 1_000);
    }
    times.accepted[size++] = accepted;
  }

  /**
   * A component that is called message by message must not delay the answers that it has given: a
   * shared queue makes them visible at the end of the batch. A step of the clock ends the batch
   * too.
   */
  private boolean isFull(long now) {
    return bytes > MOST_BYTES
        || batchAware == null && Math.abs(now - times.begun[0]) > LONGEST_NANOS;
  }

  private @Nullable Object untilComplete(CompletableFuture<?> result) throws Throwable {
    if (!Machine.await(result, A_MOMENT)) {
      waits.untilAvailable(answers::publishAppended);
    }
    CallGuard<I> operators = guard;
    return waits.untilComplete(result, operators == null ? () -> null : operators::awaitsResult);
  }

  private @Nullable Message read(long position, ByteBuffer message) {
    try {
      Message envelope = reader.read(partition, position, message);
      if (batchAware == null) {
        waits.untilAvailable(() -> answers.empty(envelope));
      }
      return envelope;
    } catch (UndecodableMessage e) {
      return deadLetter(position, message, e);
    }
  }

  private @Nullable Message deadLetter(
      long position, ByteBuffer message, UndecodableMessage reason) {
    parts.log().deadLetter(reason);
    parts.counts().deadLetters().increment();
    if (batchAware != null) {
      batchAware.deadLetter(partition, position, message, reason);
    }
    Message envelope = reason.envelope();
    if (batchAware == null && envelope != null) {
      CallFailure failure = new CallFailure(CallFailure.UNDECODABLE, reason.reason().name());
      waits.untilAvailable(() -> answers.failed(envelope, failure));
    }
    return envelope;
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
