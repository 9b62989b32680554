/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.CborInput;
import io.forebay.call.value.CborOutput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.machine.Machine;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Partitioner;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.time.AppendClock;
import io.forebay.queue.time.AppendTimes;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Converts each call to a message and appends it. A call returns when the message is appended, not
 * yet accepted; {@link #await} waits for that. Allocates nothing per call, unless a {@code
 * BigDecimal} or {@code Instant} is among the arguments, or the call is traced. Not thread-safe.
 *
 * <p>A call throws {@link IllegalArgumentException} for an argument that no message can carry, and
 * {@link QueueRefused} if the queue refuses the message; nothing is appended then, and the writer
 * remains usable.
 *
 * <p>A call of a method with a result returns a {@link PendingResult} if the writer was created
 * with {@link PendingResults}.
 *
 * @param <T> the protocol's interface
 */
public final class Writer<T> implements AutoCloseable {

  static final int PARTITION_BY_ID = -1;
  private static final Instant LATEST = Instant.EPOCH.plus(Long.MAX_VALUE, ChronoUnit.MICROS);

  private final Protocol<T> protocol;
  private final Appender appender;
  private final int partitions;
  private final int fixedPartition;
  private final AppendClock clock;
  private final AppendTimes times;
  private final Tracing tracing;
  private final MessageIds ids;
  private final CborOutput out;
  private final T calls;
  private final @Nullable PendingResults<T> results;

  private @Nullable String client;
  private @Nullable String key;
  private @Nullable UUID keyedId;
  private @Nullable UUID replayOf;
  private long deliverBy = Headers.NEVER;
  private @Nullable TraceParent trace;
  private @Nullable UUID openedKeyedId;

  /** Where the trace of the call that is being written ends; 0 if it has none. */
  private int traceEnd;

  private @Nullable BeforeAppend beforeAppend;
  private @Nullable BeforeAppend openedBeforeAppend;

  /**
   * The partition of the next call, and of the one that is being written; −1 if the id determines
   * it.
   */
  private int nextPartition = PARTITION_BY_ID;

  private int openedPartition = PARTITION_BY_ID;

  private long lastIdHigh;
  private long lastIdLow;
  private int lastPartition = -1;

  /**
   * @param fixedPartition of all messages, or {@link #PARTITION_BY_ID}
   * @param first takes the messages, which {@link #forward} appends to the queue later; null if
   *     they go to the queue
   * @param results receives the results; null if nobody does
   */
  Writer(
      Protocol<T> protocol,
      MessageQueue queue,
      int fixedPartition,
      @Nullable Appender first,
      @Nullable PendingResults<T> results,
      AppendClock clock) {
    if (fixedPartition >= queue.partitions()) {
      throw new IllegalArgumentException(
          "queue %s has no partition %d (partitions=%d)"
              .formatted(queue.name(), fixedPartition, queue.partitions()));
    }
    this.protocol = protocol;
    this.partitions = queue.partitions();
    this.fixedPartition = fixedPartition;
    this.clock = clock;
    this.times = queue.appendTimes();
    this.tracing = protocol.tracing();
    this.ids = new MessageIds(Machine.random());
    this.out = new CborOutput(queue.name(), queue.capabilities().maxMessageBytes());
    Frame.prepare(out);
    this.calls = protocol.calls(new Encoder(protocol));
    this.appender = first == null ? queue.appender() : first;
    this.results = results;
    if (results != null) {
      onAcknowledged((_, _, _) -> {});
    }
  }

  /** Learns of a message that is about to be appended, so that its answer cannot come too early. */
  @FunctionalInterface
  public interface BeforeAppend {

    /**
     * @param ticket that the message will have
     */
    void appends(UUID id, int partition, long ticket);
  }

  /**
   * Calls this before the message of the next call, and only that, is appended.
   *
   * @return this writer
   */
  public Writer<T> beforeAppend(BeforeAppend next) {
    beforeAppend = next;
    return this;
  }

  /** The object whose calls are appended, one message per call; always the same object. */
  public T calls() {
    return calls;
  }

  /**
   * Gives the next call, and only that, an idempotency key: its message carries client and key, and
   * its id is {@link Message#keyedId}, unless it is a replay, which gets a new id. Allocates.
   *
   * @return this writer
   * @throws IllegalArgumentException if one of them is empty, longer than 255 bytes or not valid
   *     text
   */
  public Writer<T> keyed(String client, String key) {
    return option(() -> {
      keyedId = KeyedId.of(client, key);
      this.client = client;
      this.key = key;
    });
  }

  /**
   * Gives the next call, and only that, a time after which it must not be performed any more. A
   * gateway then answers it with kind EXPIRED; services of your own ignore it.
   *
   * @param time to the microsecond, from 1970 on; one that no message can carry is none
   * @return this writer
   */
  public Writer<T> deliverBy(Instant time) {
    return option(() ->
        deliverBy =
            time.isAfter(LATEST)
                ? Headers.NEVER
                : time.isBefore(Instant.EPOCH)
                    ? 0
                    : ChronoUnit.MICROS.between(Instant.EPOCH, time));
  }

  /**
   * Marks the next call, and only that, as the repetition of the message with that id.
   *
   * @return this writer
   */
  public Writer<T> replay(UUID of) {
    replayOf = of;
    return this;
  }

  /**
   * The next call, and only that, carries this context if no sampled span is current on this
   * thread. A message that would be too large with it has none.
   *
   * @return this writer
   */
  public Writer<T> traced(@Nullable TraceParent by) {
    trace = by;
    return this;
  }

  /**
   * Sends the next call, and only that, to the partition of a key, like a writer that was created
   * with that key. Allocates.
   *
   * @return this writer
   */
  public Writer<T> partitionedBy(String key) {
    return option(() -> nextPartition = Partitioner.partition(key, partitions));
  }

  /**
   * Appends the calls of a message again, byte for byte. The new message has a new id, and the key
   * given to {@link #keyed} just before, if any, and the trace of the old one, but not the time of
   * {@link #deliverBy}. Its {@link Message#replayOf} is that of the old message, or the id of the
   * old message if it has none.
   *
   * @param message its bytes, from the buffer's position to its limit; neither is moved
   * @throws UndecodableMessage if its envelope cannot be read
   */
  public void repeat(ByteBuffer message) {
    CborInput in = new CborInput();
    in.reset(message);
    Envelope envelope = new Envelope(in);
    int count;
    try {
      count = envelope.calls();
      Message old = envelope.read(0, 0);
      replayOf = Objects.requireNonNullElse(old.replayOf(), old.id());
      trace = old.trace();
    } catch (DecodeFailure e) {
      throw new UndecodableMessage(e, "", 0, 0, null, null);
    } finally {
      open();
    }
    out.raw(in.bytes, in.at, in.remaining());
    append(count, null);
  }

  /**
   * Appends a message that a writer with another appender wrote, as it is but with the present
   * time.
   *
   * @param message its bytes, in which the time is replaced
   */
  public void forward(int partition, byte[] message) {
    Frame.time(message, times.appends(partition, clock.nanos()));
    appender.append(partition, ByteBuffer.wrap(message));
  }

  /** The ticket of the last message, 0 before the first. */
  public long lastTicket() {
    return appender.ticket();
  }

  /** The id of the last message; zeros before the first. */
  public UUID lastId() {
    return new UUID(lastIdHigh, lastIdLow);
  }

  /** The first 8 bytes of {@link #lastId()}, without making one. */
  public long lastIdHigh() {
    return lastIdHigh;
  }

  /** The last 8 bytes of {@link #lastId()}, without making one. */
  public long lastIdLow() {
    return lastIdLow;
  }

  /** The partition of the last message, −1 before the first. */
  public int lastPartition() {
    return lastPartition;
  }

  /** The position of the last message, or {@link Appender#UNKNOWN_POSITION}. */
  public long lastPosition() {
    return appender.position();
  }

  /**
   * Waits until all messages are accepted: until they have reached the queue's strongest level.
   *
   * @throws TimeoutException if the timeout expires first; they may still be accepted
   * @throws QueueFailed if one of them never will be, unless an earlier call has thrown that; it
   *     may or may not be durable
   */
  public void await(Duration timeout) throws TimeoutException, InterruptedException {
    appender.await(timeout);
  }

  /** Like {@link #await(Duration)}, for one message by its ticket. Any thread may call this. */
  public void await(long ticket, Duration timeout) throws TimeoutException, InterruptedException {
    appender.await(ticket, timeout);
  }

  /** Calls the listener for each message from now on, from a thread of the queue. */
  public void onAcknowledged(Appender.AcknowledgementListener listener) {
    appender.onAcknowledged(results == null ? listener : results.following(appender, listener));
  }

  /** Closes the appender. */
  @Override
  public void close() {
    appender.close();
  }

  /** Begins a call. The options for the next call apply to this one only, even if it fails. */
  private void open() {
    try {
      TraceParent current = replayOf == null ? tracing.current() : null;
      TraceParent carried = current == null ? trace : current;
      Frame.headers(out, client, key, replayOf, deliverBy, carried);
      traceEnd = carried == null ? 0 : out.at;
      openedKeyedId = replayOf == null ? keyedId : null;
      openedPartition = nextPartition;
      openedBeforeAppend = beforeAppend;
    } finally {
      forgetOptions();
    }
  }

  /** An option that is refused takes back those before it: the caller does not make the call. */
  private Writer<T> option(Runnable set) {
    try {
      set.run();
      return this;
    } catch (RuntimeException e) {
      forgetOptions();
      throw e;
    }
  }

  private void forgetOptions() {
    beforeAppend = null;
    client = null;
    key = null;
    keyedId = null;
    replayOf = null;
    deliverBy = Headers.NEVER;
    trace = null;
    nextPartition = PARTITION_BY_ID;
  }

  /**
   * @param expecting the method whose result is expected, or null
   * @return its future, or null
   */
  private @Nullable PendingResult<?> append(int calls, @Nullable ProtocolMethod expecting) {
    long nanos = clock.nanos();
    UUID keyed = openedKeyedId;
    long idHigh;
    long idLow;
    if (keyed == null) {
      ids.next(nanos / 1_000);
      idHigh = ids.high();
      idLow = ids.low();
    } else {
      idHigh = keyed.getMostSignificantBits();
      idLow = keyed.getLeastSignificantBits();
    }
    int partition = openedPartition >= 0 ? openedPartition : fixedPartition;
    if (partition < 0) {
      partition = Partitioner.partition(idHigh, idLow, partitions);
    }
    Frame.fit(out, Frame.start(calls), traceEnd);
    int start = Frame.finish(out, calls, idHigh, idLow, times.appends(partition, nanos));
    PendingResult<?> pending = null;
    BeforeAppend before = openedBeforeAppend;
    openedBeforeAppend = null;
    try {
      out.checkSize(start);
      if (before != null) {
        before.appends(new UUID(idHigh, idLow), partition, appender.ticket() + 1);
      }
      if (expecting != null && results != null) {
        // Before the append: the answer may arrive before it returns.
        pending = results.expect(new UUID(idHigh, idLow), expecting, appender, partition);
      }
      appender.append(partition, out.view(start));
    } catch (RuntimeException | Error e) {
      if (pending != null && results != null) {
        results.forget(pending);
      }
      if (e instanceof QueueRefused) {
        protocol.countRefused();
      } else if (e instanceof QueueFailed) {
        sent(idHigh, idLow, partition); // perhaps
      }
      throw e;
    }
    sent(idHigh, idLow, partition);
    return pending;
  }

  private void sent(long idHigh, long idLow, int partition) {
    lastIdHigh = idHigh;
    lastIdLow = idLow;
    lastPartition = partition;
  }

  private final class Encoder extends CallEncoder {

    Encoder(Protocol<?> protocol) {
      super(protocol, out);
    }

    @Override
    void open() {
      Writer.this.open();
    }

    @Override
    void close() {
      append(1, null);
    }

    @Override
    CompletableFuture<?> closeExpecting(ProtocolMethod called) {
      PendingResult<?> pending = append(1, called);
      return pending != null
          ? pending
          : CompletableFuture.failedFuture(
              new ResultUnknown("the call was sent, but this writer receives no results", null));
    }
  }
}
