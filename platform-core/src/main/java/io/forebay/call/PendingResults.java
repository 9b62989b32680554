/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.ValueReader;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait for their results, by id: an answer has the id of its call. Thread-safe,
 * except its handlers.
 *
 * @param <T> the protocol of the calls
 */
public final class PendingResults<T> {

  private static final Duration RETRY = Duration.ofMillis(100);

  private final ProtocolMethod[] methods;
  private final Protocol<T> protocol;
  private final int limit;
  private final Runnable mustReceive;
  private final Map<UUID, Set<PendingResult<?>>> byId = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();

  /** How often all calls have failed. */
  private final AtomicInteger ends = new AtomicInteger();

  /**
   * @param limit the most calls that may wait; further ones are refused
   * @param mustReceive called before each call; throws {@link QueueRefused} if no results can be
   *     received
   */
  public PendingResults(Protocol<T> protocol, int limit, Runnable mustReceive) {
    this.protocol = protocol;
    this.methods = protocol.methods();
    this.limit = limit;
    this.mustReceive = mustReceive;
  }

  /** How many calls have no result yet. */
  public int size() {
    return size.get();
  }

  /**
   * How many calls that this process sent have no result yet. A result that was asked for by its id
   * counts only when it has arrived and is about to complete: otherwise it may never come.
   */
  public long sent() {
    return byId.values().stream()
        .flatMap(Set::stream)
        .filter(it -> it.expected().appender() != null || it.isDecided())
        .count();
  }

  /** Expects the result of the next call of an appender. */
  PendingResult<?> expect(UUID id, ProtocolMethod method, Appender appender, int partition) {
    return expect(
        new PendingResult<>(
            id,
            new PendingResult.Expected(
                Object.class, method, appender, appender.ticket() + 1, partition)));
  }

  /**
   * Expects the result of a call that was sent before, perhaps by another process.
   *
   * @param type the class of the result
   * @throws QueueRefused if too many results are expected, or none can be received
   */
  public <R> PendingResult<R> expect(UUID id, Class<R> type) {
    return expect(new PendingResult<R>(id, new PendingResult.Expected(type, null, null, 0, -1)));
  }

  private <R> PendingResult<R> expect(PendingResult<R> pending) {
    int before = ends.get();
    mustReceive.run();
    if (size() >= limit) {
      throw new QueueRefused(
          QueueRefused.Reason.FULL,
          1,
          RETRY,
          "%,d calls await their results (limit=%,d); nothing was sent; retry when results have arrived, or ask for fewer results at a time"
              .formatted(size(), limit));
    }
    size.incrementAndGet();
    byId.merge(
        pending.id(), Set.of(pending), (one, other) -> Set.copyOf(union(one, other).toList()));
    if (ends.get() != before) { // it may have missed the end
      forget(pending);
      throw new QueueRefused(
          QueueRefused.Reason.UNAVAILABLE,
          Double.NaN,
          RETRY,
          "results were not received for a moment; nothing was sent; retry");
    }
    // Whatever completes it, such as orTimeout.
    pending.whenComplete((_, _) -> forget(pending));
    return pending;
  }

  private static Stream<PendingResult<?>> union(
      Set<PendingResult<?>> one, Set<PendingResult<?>> other) {
    return Stream.concat(one.stream(), other.stream());
  }

  void forget(PendingResult<?> pending) {
    byId.computeIfPresent(
        pending.id(),
        (_, waiting) -> {
          if (!waiting.contains(pending)) {
            return waiting;
          }
          size.decrementAndGet();
          Set<PendingResult<?>> others =
              Set.copyOf(waiting.stream().filter(it -> it != pending).toList());
          return others.isEmpty() ? null : others;
        });
  }

  /** A listener that also fails the calls whose messages may be lost. */
  Appender.AcknowledgementListener following(
      Appender appender, Appender.AcknowledgementListener listener) {
    return new Appender.AcknowledgementListener() {

      @Override
      public void acknowledged(int partition, long ticket, long position) {
        listener.acknowledged(partition, ticket, position);
      }

      @Override
      public void failed(long first, long last, QueueFailed cause) {
        fail(
            it -> it.expected().wasSentBy(appender, first, last),
            new ResultUnknown("the queue failed before it accepted the call", cause));
        listener.failed(first, last, cause);
      }
    };
  }

  /** Fails all calls that wait; a call that is being sent is refused. */
  public void failAll(ResultUnknown reason) {
    ends.incrementAndGet();
    fail(_ -> true, reason);
  }

  /** Fails the calls that may be answered in a partition. */
  public void failIn(int partition, ResultUnknown reason) {
    fail(it -> it.expected().mayBeIn(partition), reason);
  }

  private void fail(Predicate<PendingResult<?>> which, ResultUnknown reason) {
    byId.values().stream().flatMap(Set::stream).filter(which).forEach(it -> it.failed(reason));
  }

  /**
   * Returns a handler, for one thread, that completes the calls that the messages answer.
   *
   * @param awaitSafe waits until the message at a position, which a call awaits, cannot be lost
   */
  public MessageHandler handler(String queue, int partition, LongConsumer awaitSafe) {
    return new Handler(queue, partition, awaitSafe);
  }

  private final class Handler implements MessageHandler {

    private final String queue;
    private final int partition;
    private final LongConsumer awaitSafe;
    private final CborInput in = new CborInput();
    private final Envelope envelopes = new Envelope(in);
    private final ValueReader values = new ValueReader(in, protocol.classes());

    Handler(String queue, int partition, LongConsumer awaitSafe) {
      this.queue = queue;
      this.partition = partition;
      this.awaitSafe = awaitSafe;
    }

    @Override
    public void handle(long position, ByteBuffer message) {
      if (size() == 0) {
        return;
      }
      in.reset(message);
      Message envelope = Message.peek(queue, partition, position, envelopes, false);
      Set<PendingResult<?>> waiting = byId.getOrDefault(envelope.id(), Set.of());
      if (!waiting.isEmpty()) {
        awaitSafe.accept(position);
        complete(waiting, envelope);
      }
    }

    private void complete(Set<PendingResult<?>> waiting, Message envelope) {
      CallFailure failure = envelope.failure();
      if (failure != null) {
        waiting.forEach(it -> it.failed(new CallGivenUp(failure)));
        return;
      }
      ProtocolMethod[] method = {null};
      try {
        Object result = result(method);
        waiting.stream().filter(it -> isOf(it, method[0])).forEach(it -> it.received(result));
      } catch (Exception | Error e) {
        ResultUnknown unknown =
            new ResultUnknown(
                "the call was performed, but its answer has no result that can be read: %s"
                    .formatted(e instanceof DecodeFailure decode ? decode.text() : e),
                e);
        waiting.stream().filter(it -> isOf(it, method[0])).forEach(it -> it.failed(unknown));
      }
    }

    /** Calls with the same idempotency key have the same id, even if they call other methods. */
    private static boolean isOf(PendingResult<?> pending, @Nullable ProtocolMethod method) {
      ProtocolMethod expected = pending.expected().method();
      return expected == null || method == null || expected == method;
    }

    /**
     * Reads the header {@code result}: the name of the method, and the value.
     *
     * @param called is set to the method
     */
    private @Nullable Object result(@Nullable ProtocolMethod[] called) {
      if (envelopes.result == 0) {
        throw DecodeFailure.malformed("the header result is missing");
      }
      in.at = envelopes.result;
      values.reset();
      in.head(Cbor.ARRAY, "the header result");
      if (in.argument != 2) {
        throw DecodeFailure.malformed("the header result is not a pair");
      }
      int length = in.string(Cbor.TEXT, "the name of a method");
      for (ProtocolMethod method : methods) {
        if (method.result != null && in.skipBytes(length, method.nameBytes)) {
          called[0] = method;
          return values.value(method.result);
        }
      }
      throw DecodeFailure.malformed(
          "no method '%s' with a result is known".formatted(values.unknownName(length)));
    }
  }
}
