/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static io.forebay.call.value.DecodeFailure.malformed;

import io.forebay.call.history.HistoryRecorder;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.UndecodableReason;
import io.forebay.call.value.ValueReader;
import io.forebay.machine.Machine;
import io.forebay.queue.Capabilities;
import io.forebay.queue.MessageHandler;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decodes messages and calls a target. All calls of a message are decoded before the first is made,
 * so a message that cannot be decoded is never performed in part. Allocates only the {@link
 * Message} and the values; a repeated text that is declared as {@code String} is the same object
 * each time. Not thread-safe.
 *
 * @param <T> the protocol's interface
 */
public final class CallReader<T> {

  private final String queue;
  private final T target;
  private final ProtocolMethod[] methods;
  private final CborInput in = new CborInput();
  private final Envelope envelopes;
  private final ValueReader values;
  private final ResultSink results;
  private final Tracing tracing;

  /**
   * Reused arrays for the arguments of a message's first call, by method: most messages have only
   * one call.
   */
  private final @Nullable Object[][] firstArguments;

  private ProtocolMethod[] calls = new ProtocolMethod[1];
  private @Nullable Object[][] arguments = new @Nullable Object[1][];
  private int decoded;
  private @Nullable ProtocolMethod decoding;
  private int lastMethod;
  private boolean reading;
  private @Nullable Function<Throwable, @Nullable String> spanErrors;

  /** Takes what a method with a result returned. */
  @FunctionalInterface
  interface ResultSink {
    void returned(Message message, ProtocolMethod method, Object future) throws Throwable;
  }

  /**
   * @param recorder decides which messages carry their history, or null
   */
  CallReader(
      Protocol<T> protocol,
      String queue,
      T target,
      ResultSink results,
      @Nullable HistoryRecorder recorder) {
    this.queue = queue;
    this.results = results;
    this.tracing = protocol.tracing();
    this.target = target;
    this.envelopes = new Envelope(in, recorder);
    this.methods = protocol.methods();
    this.values = new ValueReader(in, protocol.classes());
    this.firstArguments =
        Stream.of(methods).map(m -> new Object[m.parameters.length]).toArray(Object[][]::new);
  }

  /**
   * Records a span for the calls of each message that carries a trace.
   *
   * @param errors what a span shows if the target throws; null if it has not failed
   */
  public void recordSpans(Function<Throwable, @Nullable String> errors) {
    spanErrors = errors;
  }

  /** Returns a handler that reads the messages of a partition. */
  public MessageHandler handler(int partition) {
    return (position, message) -> read(partition, position, message);
  }

  /**
   * Decodes a message and makes its calls; meanwhile the message is {@link Message#current()}. The
   * failure of an answer is passed to a target that is a {@link FailureReceiver}. An exception of
   * the target propagates unchanged, and the remaining calls are not made.
   *
   * @param message its bytes, from the buffer's position to its limit; neither is moved
   * @return the message's envelope
   * @throws UndecodableMessage if it cannot be decoded; no call was made
   */
  public Message read(int partition, long position, ByteBuffer message) {
    return read(partition, position, message, false);
  }

  /**
   * Like the other method.
   *
   * @param again whether the target failed to perform the message before
   */
  public Message read(int partition, long position, ByteBuffer message, boolean again) {
    if (reading) {
      throw new IllegalStateException(
          "the target of a reader of queue %s called that reader".formatted(queue));
    }
    reading = true;
    decoded = 0;
    try {
      Message envelope = decode(partition, position, message);
      TraceParent caller = envelope.trace();
      Function<Throwable, @Nullable String> errors = spanErrors;
      if (caller == null || errors == null) {
        dispatch(envelope);
      } else {
        boolean repeated = again || envelope.replayOf() != null;
        dispatch(envelope, tracing.process(queue, caller, repeated, Machine.now()), errors);
      }
      return envelope;
    } finally {
      forget();
      reading = false;
    }
  }

  /**
   * Reads the envelope but not the calls, of the message read last or of another one.
   *
   * @throws UndecodableMessage if the envelope cannot be read
   */
  public Message peek(int partition, long position, ByteBuffer message) {
    in.reset(message);
    return Message.peek(queue, partition, position, envelopes, false);
  }

  private Message decode(int partition, long position, ByteBuffer message) {
    Message envelope = null;
    decoding = null;
    try {
      in.reset(message);
      values.reset();
      int count = envelopes.calls();
      envelope = envelopes.read(partition, position);
      if (message.remaining() > Capabilities.MAX_MESSAGE_BYTES) { // a topic may accept more
        throw malformed(
            "%,d bytes are more than the %,d that a message may have"
                .formatted(message.remaining(), Capabilities.MAX_MESSAGE_BYTES));
      }
      int results = 0;
      for (int i = 0; i < count; i++) {
        if (readCall().result != null && ++results > 1) {
          throw malformed("two calls with a result; each needs a message of its own");
        }
      }
      if (in.remaining() > 0) {
        throw malformed("%,d extra bytes after the last call".formatted(in.remaining()));
      }
      return envelope;
    } catch (DecodeFailure e) {
      String name = decoding == null ? null : decoding.name;
      throw new UndecodableMessage(e, queue, partition, position, name, envelope);
    }
  }

  private ProtocolMethod readCall() {
    ProtocolMethod method = readMethod();
    decoding = method;
    in.head(Cbor.ARRAY, "the list of arguments");
    int count = in.checkedCount(1);
    if (count != method.parameters.length) {
      throw new DecodeFailure(
          UndecodableReason.WRONG_ARITY,
          "%,d arguments instead of %d".formatted(count, method.parameters.length));
    }
    @Nullable Object[] call = add(method);
    for (int i = 0; i < count; i++) {
      try {
        call[i] = values.value(method.parameters[i]);
      } catch (DecodeFailure e) {
        throw e.in("parameter " + (i + 1));
      }
    }
    decoding = null;
    return method;
  }

  private ProtocolMethod readMethod() {
    int length = in.string(Cbor.TEXT, "the name of a method");
    for (int i = 0; i < methods.length; i++) {
      int index =
          lastMethod + i < methods.length ? lastMethod + i : lastMethod + i - methods.length;
      if (values.skipName(length, methods[index].nameBytes)) {
        lastMethod = index;
        return methods[index];
      }
    }
    throw new DecodeFailure(
        UndecodableReason.UNKNOWN_METHOD,
        "method '%s' is not one of %s"
            .formatted(
                values.unknownName(length),
                Stream.of(methods).map(m -> m.name).collect(Collectors.joining(", "))));
  }

  /** Adds a call whose arguments are still to be filled in. */
  private @Nullable Object[] add(ProtocolMethod method) {
    if (decoded == calls.length) {
      calls = Arrays.copyOf(calls, 2 * decoded);
      arguments = Arrays.copyOf(arguments, 2 * decoded);
    }
    @Nullable Object[] call =
        decoded == 0 ? firstArguments[lastMethod] : new @Nullable Object[method.parameters.length];
    calls[decoded] = method;
    arguments[decoded] = call;
    decoded++;
    return call;
  }

  private void dispatch(
      Message message, Tracing.Span span, Function<Throwable, @Nullable String> errors) {
    try (Tracing.Current _ = span.makeCurrent()) {
      dispatch(message);
    } catch (Throwable e) {
      span.end(errors.apply(e), Machine.now());
      throw e;
    }
    span.end(null, Machine.now());
  }

  private void dispatch(Message message) {
    Message.Holder current = Message.holder();
    Message before = current.message;
    current.message = message;
    try {
      for (int i = 0; i < decoded; i++) {
        ProtocolMethod method = calls[i];
        Object returned = method.dispatcher.invokeExact((Object) target, arguments[i]);
        if (method.result != null) {
          results.returned(message, method, returned);
        }
      }
      CallFailure failure = message.failure();
      if (failure != null && target instanceof FailureReceiver receiver) {
        receiver.callFailed(failure);
      }
    } catch (Throwable e) {
      throw unchanged(e);
    } finally {
      current.message = before;
    }
  }

  /** Clears the arguments so that they can be garbage-collected. */
  private void forget() {
    if (decoded == 0) {
      return;
    }
    Arrays.fill(arguments[0], null);
    if (decoded > 1) {
      calls = new ProtocolMethod[1];
      arguments = new @Nullable Object[1][];
    }
  }

  @SuppressWarnings("unchecked") // E is RuntimeException only for the compiler
  private static <E extends Throwable> RuntimeException unchanged(Throwable e) throws E {
    throw (E) e;
  }
}
