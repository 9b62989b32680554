/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.history.History;
import io.forebay.call.history.Hop;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.trace.TraceParent;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The envelope of a message: everything but its calls. Immutable and thread-safe.
 *
 * <p>While a reader makes a message's calls, the message is {@link #current()} on that thread, and
 * everything that the calls write to an {@link Output} answers it. A component that answers later
 * keeps the message and calls {@link #makeCurrent()} before it answers.
 */
public final class Message {

  private static final ThreadLocal<Holder> CURRENT = ThreadLocal.withInitial(Holder::new);

  private final int partition;
  private final long position;
  private final long idHigh;
  private final long idLow;
  private final long appendMicros;
  private final Headers headers;
  private final @Nullable History history;

  Message(
      int partition,
      long position,
      long idHigh,
      long idLow,
      long appendMicros,
      Headers headers,
      @Nullable History history) {
    this.partition = partition;
    this.position = position;
    this.idHigh = idHigh;
    this.idLow = idLow;
    this.appendMicros = appendMicros;
    this.headers = headers;
    this.history = history;
  }

  /** Makes a message without headers, to test a component without a queue. */
  public static Message of(int partition, long position, UUID id, Instant appendTime) {
    return new Message(
        partition,
        position,
        id.getMostSignificantBits(),
        id.getLeastSignificantBits(),
        Math.max(0, ChronoUnit.MICROS.between(Instant.EPOCH, appendTime)),
        Headers.NONE,
        null);
  }

  /**
   * Reads the envelope but not the calls, also of an {@link AnswerRun}; cheap enough to search a
   * queue by {@link #source()}.
   *
   * @param queue its name, for the error
   * @throws UndecodableMessage if the envelope cannot be read
   */
  public static Message peek(String queue, int partition, long position, ByteBuffer message) {
    CborInput in = new CborInput();
    in.reset(message);
    return peek(queue, partition, position, new Envelope(in), true);
  }

  static Message peek(String queue, int partition, long position, Envelope envelope, boolean runs) {
    try {
      envelope.calls();
      return envelope.read(partition, position, runs);
    } catch (DecodeFailure e) {
      throw new UndecodableMessage(e, queue, partition, position, null, null);
    }
  }

  /**
   * The id of a statement with an idempotency key: a UUIDv8 of the SHA-256 of client and key, so
   * that every instance computes the same id.
   *
   * @throws IllegalArgumentException if one of them is empty, too long or not valid text
   */
  public static UUID keyedId(String client, String key) {
    return KeyedId.of(client, key);
  }

  /**
   * Checks client and key as {@link #keyedId} does, without making the id.
   *
   * @throws IllegalArgumentException if one of them is empty, too long or not valid text
   */
  public static void checkKey(String client, String key) {
    KeyedId.check(client, key);
  }

  /**
   * The message that this thread is handling.
   *
   * @throws IllegalStateException if it is not handling one
   */
  public static Message current() {
    Message message = currentOrNull();
    if (message == null) {
      throw new IllegalStateException(
          "no message is being handled on thread %s; to answer after its method returned, a component must keep the message and make it current"
              .formatted(Thread.currentThread().getName()));
    }
    return message;
  }

  /** The message that this thread is handling, or null. */
  public static @Nullable Message currentOrNull() {
    return CURRENT.get().message;
  }

  /**
   * Makes this the message that this thread is handling, until the next one or {@link #clear()}.
   */
  public void makeCurrent() {
    CURRENT.get().message = this;
  }

  /** Ends handling: this thread then has no current message. */
  public static void clear() {
    CURRENT.get().message = null;
  }

  /** The partition it was read from. */
  public int partition() {
    return partition;
  }

  /** Its position in that partition. */
  public long position() {
    return position;
  }

  /** The id assigned by its writer. The result of a statement has the id of the statement. */
  public UUID id() {
    return new UUID(idHigh, idLow);
  }

  /** The first 8 bytes of {@link #id()}; allocates nothing. */
  public long idHigh() {
    return idHigh;
  }

  /** The last 8 bytes of {@link #id()}; allocates nothing. */
  public long idLow() {
    return idLow;
  }

  /** When it was appended, by its writer's clock, in microseconds since 1970. */
  public long appendMicros() {
    return appendMicros;
  }

  /** When it was appended, by its writer's clock. */
  public Instant appendTime() {
    return Instant.EPOCH.plus(appendMicros, ChronoUnit.MICROS);
  }

  /** The client that sent it, if it has an idempotency key. */
  public @Nullable String client() {
    return headers.client;
  }

  /** The idempotency key, or null. */
  public @Nullable String key() {
    return headers.key;
  }

  /**
   * The id of the message that this one repeats, or null. A replay of a replay has the id of the
   * first message.
   */
  public @Nullable UUID replayOf() {
    return headers.replayOf;
  }

  /** The time after which it must not be performed any more, by its writer's clock, or null. */
  public @Nullable Instant deliverBy() {
    return headers.deliverBy == Headers.NEVER
        ? null
        : Instant.EPOCH.plus(headers.deliverBy, ChronoUnit.MICROS);
  }

  /**
   * Whether {@link #deliverBy} is over; allocates nothing.
   *
   * @param nowMicros the time in microseconds since 1970
   */
  public boolean isExpired(long nowMicros) {
    return headers.deliverBy < nowMicros;
  }

  /** The position of the message that this one answers, in the partition of the same number. */
  public OptionalLong source() {
    return headers.source < 0 ? OptionalLong.empty() : OptionalLong.of(headers.source);
  }

  /**
   * How many messages it answers: the one at {@link #source()}, and those at the positions behind
   * it. More than 1 only if it is an {@link AnswerRun}; its {@link #id()} is then that of the first
   * of them.
   */
  public int sources() {
    return headers.sources;
  }

  /** In an answer: the client that sent the message that it answers, if that has a key. */
  public @Nullable String sourceClient() {
    return headers.sourceClient;
  }

  /** In an answer: the idempotency key of the message that it answers, or null. */
  public @Nullable String sourceKey() {
    return headers.sourceKey;
  }

  /** In an answer: why the message that it answers was not performed, or null. */
  public @Nullable CallFailure failure() {
    return headers.failure;
  }

  /**
   * The context of the span that sent it; null if that span was not sampled, or there was none. An
   * answer has the context of its message, or of a span in which a component answered.
   */
  public @Nullable TraceParent trace() {
    return headers.trace;
  }

  /** The id of the trace of a stored message; null if it has none, or cannot be read. */
  public static @Nullable String traceId(byte[] message) {
    try {
      TraceParent trace = peek("", 0, 0, ByteBuffer.wrap(message)).trace();
      return trace == null ? null : trace.traceId();
    } catch (UndecodableMessage e) {
      return null;
    }
  }

  /**
   * What each service did to which this message came on its way, the first one first: empty if its
   * history is not recorded, see {@code ServiceOptions.historyOneIn()}. It is complete or empty. A
   * message that its service performs shows what the services before did; an answer also shows what
   * the service that answered did.
   */
  public List<Hop> history() {
    return history == null ? List.of() : history.hops(appendTime());
  }

  /** The same as it is stored; null if it is not recorded. */
  @Nullable History carried() {
    return history;
  }

  @Override
  public String toString() {
    return "message " + id() + " at position " + position + " in partition " + partition;
  }

  static Holder holder() {
    return CURRENT.get();
  }

  /** The message that a thread is handling. */
  static final class Holder {
    @Nullable Message message;
  }
}
