/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.Headers.Header;
import io.forebay.call.history.History;
import io.forebay.call.history.HistoryRecorder;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.call.value.RefusedValue;
import io.forebay.call.value.ScalarType;
import io.forebay.call.value.ValueWriter;
import io.forebay.queue.Appender;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.time.AppendClock;
import io.forebay.queue.time.AppendTimes;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answers to the messages of one partition. All calls made while a message is {@link
 * Message#current()} form one answer message, its frame. The frame has the id of the message, goes
 * to the partition of the same number, and names the position of the message as its source. It is
 * appended when a call is made for another message, or by {@link #flush()}. Frames must be written
 * in the order of their sources.
 *
 * <p>If the queue refuses a frame, it stays pending: the call or {@code flush()} that would have
 * appended it throws {@link QueueRefused} and may be repeated; nothing is lost or doubled. If the
 * loop flushes after each batch, refusals are thrown there and not in the component. Not
 * thread-safe.
 *
 * @param <O> the protocol's interface
 */
public final class Output<O> implements AutoCloseable {

  private static final int START = Frame.HEADERS;

  /** With more, the frames are published although their batch is not complete. */
  private static final int MOST_UNPUBLISHED_BYTES = 1 << 20;

  private final MessageQueue queue;
  private final int partition;
  private final Appender appender;
  private final AppendClock clock;
  private final AppendTimes times;
  private final Tracing tracing;
  private final CborOutput out;
  private final O calls;

  /** The position of the message answered last. */
  private long lastSource = -1;

  private @Nullable Message pending;
  private int pendingCalls;
  private int pendingEnd = START;

  /** Where the first call of the pending frame begins. */
  private int callsStart = START;

  /** Where its trace ends; 0 if it has none. */
  private int traceEnd;

  private @Nullable Message opened;

  /** The offset to commit with the answers to all messages before a position; null: none. */
  private @Nullable LongFunction<GroupOffset> offsets;

  private @Nullable HistoryRecorder recorder;
  private boolean withHistory;

  /** Collects equal answers; null if each is a message of its own. */
  private AnswerRun.@Nullable Collector run;

  /** Whether the pending frame has only its source and its calls. */
  private boolean plain;

  /** The bytes of the frames since the last {@link #publish}. */
  private long unpublishedBytes;

  /** When the messages of the current batch were performed; 0: each when its frame is appended. */
  private long performedMicros;

  Output(
      Protocol<O> protocol,
      MessageQueue queue,
      int partition,
      Appender appender,
      AppendClock clock) {
    this.queue = queue;
    this.partition = partition;
    this.clock = clock;
    this.times = queue.appendTimes();
    this.tracing = protocol.tracing();
    this.out = new CborOutput(queue.name(), queue.capabilities().maxMessageBytes());
    Frame.prepare(out);
    this.calls = protocol.calls(new Encoder(protocol));
    this.appender = appender;
  }

  /**
   * Adds their history to the answers of this service, as a header {@code history}. To be called
   * before a reader for this output is created.
   *
   * @param service its name
   * @param oneIn if it is the first stage: one in so many messages carries its history; 1: all; 0:
   *     none. A later stage adds to the history of each message that has one
   */
  public void recordHistory(String service, int oneIn) {
    recorder = new HistoryRecorder(service, oneIn, clock);
  }

  /**
   * Makes equal answers to consecutive messages one message, an {@link AnswerRun}, if they have no
   * sender, no key, no history and no trace. To be called before the first answer. A run ends with
   * {@link #flush} at the latest.
   */
  public void collectRuns() {
    run = new AnswerRun.Collector(queue.name(), queue.capabilities().maxMessageBytes());
  }

  /**
   * Commits the offset behind the last message that is answered with each {@link #publish}. To be
   * called before the first answer, and only if each message gets an answer, and answers are not
   * collected in runs.
   *
   * @param value the offset if everything before a position is answered
   */
  public void commits(LongFunction<GroupOffset> value) {
    offsets = value;
  }

  @Nullable HistoryRecorder recorder() {
    return recorder;
  }

  /**
   * Says that the messages whose answers follow, up to the next {@link #publish}, have been
   * performed now. Without it, a message counts as performed when its answer is complete.
   */
  public void performed() {
    performedMicros = clock.nanos() / 1_000;
  }

  /**
   * The object whose calls become the answer to the current message; always the same object. A call
   * throws {@link IllegalStateException} if no message is current or a later one has been answered,
   * {@link IllegalArgumentException} if no message can carry an argument, and {@link QueueRefused}
   * if it would make the frame too large or the queue refuses the previous frame. A call that
   * throws is not part of the answer.
   */
  public O calls() {
    return calls;
  }

  /**
   * Appends the frame of this message; the frame is empty if no calls were made for it. The pending
   * frame of another message is appended first.
   *
   * @throws QueueRefused if the queue refuses a frame; the call may be repeated
   * @throws IllegalStateException if that message, or a later one, has been answered
   */
  public void empty(Message message) {
    beginUnlessPending(message);
    flush();
  }

  private void beginUnlessPending(Message message) {
    if (pending != message) {
      begin(message, null);
    }
  }

  private void begin(Message message, @Nullable CallFailure failure) {
    beginFrame(message, failure);
    pending = message;
    pendingCalls = 0;
    pendingEnd = out.at;
  }

  /**
   * Appends a frame that says that this message was not performed. Calls made for it are discarded.
   * The pending frame of another message is appended first.
   *
   * @throws QueueRefused if the queue refuses a frame; the call may be repeated
   * @throws IllegalStateException if that message, or a later one, has been answered
   */
  public void failed(Message message, CallFailure failure) {
    if (pending == message) {
      discard();
    }
    begin(message, failure);
    flush();
  }

  /**
   * Appends the pending frame, if there is one, and the run, if answers are collected.
   *
   * @throws QueueRefused if the queue refuses it; it stays pending
   */
  public void flush() {
    completeFrame();
    appendRun();
  }

  /** Adds the pending frame to the run, or appends it. */
  private void completeFrame() {
    Message message = pending;
    if (message == null) {
      return;
    }
    AnswerRun.Collector collected = run;
    if (collected == null
        || !plain
        || !AnswerRun.Collector.takes(message, pendingCalls, pendingEnd - callsStart)) {
      appendRun();
      appendFrame(message);
    } else {
      if (!collected.continuesWith(message, out.bytes, callsStart, pendingEnd)) {
        appendRun();
        collected.begin(message, pendingCalls, out.bytes, callsStart, pendingEnd);
      }
      collected.add(message);
    }
    lastSource = message.position();
    pending = null;
  }

  private void appendRun() {
    AnswerRun.Collector collected = run;
    if (collected != null && !collected.isEmpty()) {
      append(collected.message(times.appends(partition, clock.nanos())));
      collected.clear();
    }
  }

  private void appendFrame(Message message) {
    if (message.carried() != null) {
      addHistory(message, message.carried());
    }
    out.at = pendingEnd;
    long micros = times.appends(partition, clock.nanos());
    int start = Frame.finish(out, pendingCalls, message.idHigh(), message.idLow(), micros);
    append(out.view(start));
  }

  private void append(ByteBuffer frame) {
    if (unpublishedBytes > MOST_UNPUBLISHED_BYTES) {
      publishAppended();
    }
    int bytes = frame.remaining();
    appender.append(partition, frame);
    unpublishedBytes += bytes;
  }

  /**
   * Appends the pending frame and makes all frames since the last call visible to readers; see
   * {@link Appender#publish}. Frames of more than 1 MiB become visible earlier.
   */
  public void publish() {
    flush();
    publishAppended();
    performedMicros = 0;
  }

  /** Like {@link #publish}, for the frames appended so far, without the pending one. */
  public void publishAppended() {
    if (offsets == null || lastSource < 0) {
      appender.publish();
    } else {
      appender.publish(offsets.apply(lastSource + 1));
    }
    unpublishedBytes = 0;
  }

  /** Commits an offset without answers; all frames must be published. */
  public void commit(GroupOffset offset) {
    appender.publish(offset);
  }

  /**
   * Adds the result of a call to the answer to this message.
   *
   * @throws IllegalArgumentException if no message can carry it
   */
  void result(Message message, ProtocolMethod method, ValueWriter values, @Nullable Object value) {
    beginUnlessPending(message);
    plain = false;
    out.at = pendingEnd;
    Header.RESULT.write(out);
    out.head(Cbor.ARRAY, 2);
    out.text(Cbor.TEXT, method.name);
    values.reset();
    try {
      values.value(Objects.requireNonNull(method.result), value);
    } catch (RefusedValue e) {
      throw new IllegalArgumentException(
          "the result of %s%s is %s, which no message can carry (allowed: %s)"
              .formatted(method.name, e.where(), e.getMessage(), ScalarType.ALLOWED));
    }
    checkSize(pendingCalls);
    addHeader();
  }

  /** Throws if the frame is now too large; with a trace, it is tried without. */
  private void checkSize(int calls) {
    int start = Frame.start(calls);
    int removed = Frame.fit(out, start, traceEnd);
    if (removed > 0) {
      callsStart -= removed;
      pendingEnd -= removed;
      traceEnd = 0;
    }
    out.checkSize(start);
  }

  /** Moves the header at the end of the pending frame before its calls. */
  private void addHeader() {
    Frame.addHeader(out, callsStart, pendingEnd);
    callsStart += out.at - pendingEnd;
    pendingEnd = out.at;
  }

  /**
   * Adds it once, also if the frame is refused and appended again; a frame without room has none.
   */
  private void addHistory(Message message, History history) {
    HistoryRecorder own = recorder;
    if (own == null || withHistory || !history.continues()) {
      return;
    }
    withHistory = true;
    out.at = pendingEnd;
    if (out.hasRoom(Frame.start(pendingCalls), history.maxBytes(own.service()))) {
      long performed = performedMicros > 0 ? performedMicros : clock.nanos() / 1_000;
      history.write(out, own.service(), message.position(), message.appendMicros(), performed);
      addHeader();
    }
  }

  /** Writes results of this protocol, see {@link #result}. */
  ValueWriter results(Protocol<?> calls) {
    return new ValueWriter(out, calls.classes());
  }

  /** Discards the pending frame, if there is one. For a message that will be handled again. */
  public void discard() {
    pending = null;
  }

  /** The ticket of the last frame appended, 0 before the first. */
  public long lastTicket() {
    return appender.ticket();
  }

  /** Whether the frame with this ticket has reached the queue's strongest level. */
  public boolean isAcknowledged(long ticket) {
    return appender.isAcknowledged(ticket);
  }

  /** Closes the appender. Discards a pending frame; flush before. */
  @Override
  public void close() {
    appender.close();
  }

  /** Completes the pending frame and begins the frame of this message. */
  private void beginFrame(Message message, @Nullable CallFailure failure) {
    completeFrame();
    if (message.partition() != partition) {
      throw new IllegalStateException(
          "%s cannot be answered here: this output is for partition %d of queue %s"
              .formatted(message, partition, queue.name()));
    }
    if (message.position() <= lastSource) {
      throw new IllegalStateException(
          "%s cannot be answered: position %,d is already answered in queue %s; answer messages in their order, and make all calls that answer one message together"
              .formatted(message, lastSource, queue.name()));
    }
    TraceParent trace = trace(message);
    Frame.source(out, message, failure, trace);
    callsStart = out.at;
    traceEnd = trace == null ? 0 : out.at;
    plain = failure == null;
    withHistory = false;
  }

  /** That of the span in which the component runs, if there is one. */
  private @Nullable TraceParent trace(Message message) {
    TraceParent current = message.trace() == null ? null : tracing.current();
    return current == null ? message.trace() : current;
  }

  private final class Encoder extends CallEncoder {

    Encoder(Protocol<?> protocol) {
      super(protocol, out);
    }

    @Override
    void open() {
      Message message = Message.current();
      if (message == pending) {
        out.at = pendingEnd;
      } else {
        beginFrame(message, null);
        pendingCalls = 0;
      }
      opened = message;
    }

    @Override
    void close() {
      if (!Frame.takes(pendingCalls + 1)) {
        throw new QueueRefused(
            QueueRefused.Reason.TOO_LARGE,
            "%s already has %,d answers, which is the limit; this one was not added"
                .formatted(opened, pendingCalls));
      }
      Output.this.checkSize(pendingCalls + 1);
      pending = opened;
      pendingCalls++;
      pendingEnd = out.at;
    }

    @Override
    CompletableFuture<?> closeExpecting(ProtocolMethod called) {
      throw new AssertionError("answers return void: " + called.name);
    }
  }
}
