/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Partitioner;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Makes each call a message and appends it. A call returns when the message is appended, which is
 * before it is accepted: {@link #await} tells that. Allocates nothing per call, unless a {@code
 * BigDecimal} or {@code Instant} is among the arguments. For one thread.
 *
 * <p>A call throws {@link IllegalArgumentException} for an argument that no message can carry, and
 * {@link QueueRefused} if the queue does not take the message; nothing is appended then, and the
 * writer can be used on.
 *
 * @param <T> the protocol's interface
 */
public final class Writer<T> implements AutoCloseable {

  private static final int PARTITION_BY_ID = -1;

  private final Protocol<T> protocol;
  private final Appender appender;
  private final int partitions;
  private final int fixedPartition;
  private final AppendClock clock;
  private final MessageIds ids;
  private final CborOutput out;
  private final Class<T> type;
  private final T calls;

  private @Nullable String client;
  private @Nullable String key;
  private @Nullable UUID keyedId;
  private @Nullable UUID replayOf;
  private @Nullable UUID openedKeyedId;

  /** Of the next call, and of the one that is being written; −1 where nothing else was said. */
  private int nextPartition = PARTITION_BY_ID;

  private int openedPartition = PARTITION_BY_ID;

  private long lastIdHigh;
  private long lastIdLow;
  private int lastPartition = -1;

  Writer(Protocol<T> protocol, MessageQueue queue, @Nullable String key, AppendClock clock) {
    this(
        protocol,
        queue,
        key == null ? PARTITION_BY_ID : Partitioner.partition(key, queue.partitions()),
        clock);
  }

  Writer(Protocol<T> protocol, MessageQueue queue, int fixedPartition, AppendClock clock) {
    if (fixedPartition >= queue.partitions()) {
      throw new IllegalArgumentException(
          "partition %d of queue %s; it has %d"
              .formatted(fixedPartition, queue.name(), queue.partitions()));
    }
    this.protocol = protocol;
    this.partitions = queue.partitions();
    this.fixedPartition = fixedPartition;
    this.clock = clock;
    this.ids = new MessageIds(new SplittableRandom(new SecureRandom().nextLong()));
    this.out = new CborOutput(queue.name(), queue.capabilities().maxMessageBytes());
    Frame.prepare(out);
    this.type = protocol.type();
    this.calls = protocol.calls(new Encoder(protocol));
    this.appender = queue.appender();
  }

  /** Each call of it appends one message. It is always the same object. */
  public T calls() {
    return calls;
  }

  /**
   * As {@link #calls()}, for all threads, one call at a time; the rest of this writer is not to be
   * used beside it. A call allocates.
   */
  public T sharedCalls() {
    return SharedCalls.of(type, calls);
  }

  /**
   * Gives the next call, and only that, an idempotency key: its message carries client and key, and
   * its id is {@link Message#keyedId}, unless it is a replay, which has an id of its own. This
   * allocates.
   *
   * @return this writer
   * @throws IllegalArgumentException if one of them is empty, longer than 255 bytes or not proper
   *     text
   */
  public Writer<T> keyed(String client, String key) {
    keyedId = KeyedId.of(client, key);
    this.client = client;
    this.key = key;
    return this;
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
   * Has the next call, and only that, go to the partition of a key, as all calls of a writer that
   * was made with that key do. This allocates.
   *
   * @return this writer
   */
  public Writer<T> partitionedBy(String key) {
    nextPartition = Partitioner.partition(key, partitions);
    return this;
  }

  /**
   * Appends the calls of a message once more, byte for byte. The new message has an id of its own,
   * names the old one as the one it {@link Message#replayOf repeats}, and carries the key given to
   * {@link #keyed} just before, if any.
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
      replayOf = envelope.read(0, 0).id();
    } catch (DecodeFailure e) {
      throw new UndecodableMessage(e, "", 0, 0, null, null);
    } finally {
      open();
    }
    out.raw(in.bytes, in.at, in.remaining());
    append(count);
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

  /** All messages up to the one with this ticket are accepted. Any thread may ask. */
  public long acknowledged() {
    return appender.acknowledged();
  }

  /**
   * Waits until the last message is accepted: it has reached the queue's strongest level.
   *
   * @throws TimeoutException if it has not in that time; it may still
   * @throws QueueFailed if it never will; whether the message is durable is not known
   */
  public void await(Duration timeout) throws TimeoutException, InterruptedException {
    await(lastTicket(), timeout);
  }

  /** As {@link #await(Duration)}, for the message with this ticket. Any thread may wait. */
  public void await(long ticket, Duration timeout) throws TimeoutException, InterruptedException {
    appender.await(ticket, timeout);
  }

  /** Calls the listener for each message from now on, from a thread of the queue. */
  public void onAcknowledged(Appender.AcknowledgementListener listener) {
    appender.onAcknowledged(listener);
  }

  /**
   * Whether it refuses for good, since a message that was not yet accepted may be lost, while the
   * queue goes on: make another writer. Any thread may ask.
   */
  public boolean hasFailed() {
    return appender.hasFailed();
  }

  /** Closes the appender. */
  @Override
  public void close() {
    appender.close();
  }

  /** What is asked of the next call holds for it, whether it succeeds or not. */
  private void open() {
    Frame.headers(out, client, key, replayOf);
    openedKeyedId = replayOf == null ? keyedId : null;
    openedPartition = nextPartition;
    client = null;
    key = null;
    keyedId = null;
    replayOf = null;
    nextPartition = PARTITION_BY_ID;
  }

  private void append(int calls) {
    long micros = clock.micros();
    UUID keyed = openedKeyedId;
    long idHigh;
    long idLow;
    if (keyed == null) {
      ids.next(micros);
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
    int start = Frame.finish(out, calls, idHigh, idLow, micros);
    try {
      out.checkSize(start);
      appender.append(partition, out.view(start));
    } catch (QueueRefused e) {
      protocol.countRefused();
      throw e;
    }
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
      append(1);
    }
  }
}
