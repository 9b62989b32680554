/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.Aliases;
import io.forebay.call.value.Classes;
import io.forebay.call.value.ValueWriter;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Partitioner;
import io.forebay.queue.Subscription;
import io.forebay.queue.time.AppendClock;
import io.forebay.trace.Tracing;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An interface whose calls are converted to messages and back. Its abstract methods have unique
 * names, return {@code void} or a {@link CompletableFuture}, and have parameters and results of
 * these types: {@code boolean}, {@code byte} to {@code long}, {@code float}, {@code double} and
 * their boxes, {@code BigDecimal}, {@code String}, {@code byte[]}, the classes of {@code java.time}
 * for dates, times and durations, {@code UUID}, {@link io.forebay.call.value.Json}, {@code Class},
 * {@code Object}, enums, records, and lists, sets, maps and arrays of these. Default and static
 * methods are not part of it. The interface and the records need not be public.
 *
 * <p>Where {@code Object} is declared, integers of every size arrive as {@code Long}, an {@code
 * Instant} as {@code OffsetDateTime} and an array as {@code List}; a record must be registered as
 * an alias.
 *
 * <p>Creating a protocol takes milliseconds, so create it once. Immutable and thread-safe.
 *
 * @param <T> the interface
 */
public final class Protocol<T> {

  private final Class<T> type;
  private final ProtocolMethod[] methods;
  private final Classes classes;
  private final WriterClass writerClass;
  private final LongAdder refused;
  private final Tracing tracing;

  private Protocol(
      Class<T> type,
      ProtocolMethod[] methods,
      Classes classes,
      WriterClass writerClass,
      LongAdder refused,
      Tracing tracing) {
    this.type = type;
    this.methods = methods;
    this.classes = classes;
    this.writerClass = writerClass;
    this.refused = refused;
    this.tracing = tracing;
  }

  /** Creates a protocol without registered classes. */
  public static <T> Protocol<T> of(Class<T> type) {
    return of(type, Aliases.none());
  }

  /**
   * Creates a protocol with these registered classes.
   *
   * @throws IllegalArgumentException if the interface is not a protocol; it lists everything that
   *     is wrong
   */
  public static <T> Protocol<T> of(Class<T> type, Aliases aliases) {
    Declaration declaration = Declaration.of(type, aliases);
    try {
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
      ProtocolMethod[] methods = declaration.methods(lookup);
      WriterClass writerClass = WriterClass.of(lookup, type, methods);
      return new Protocol<>(
          type, methods, declaration.classes(), writerClass, new LongAdder(), Tracing.NONE);
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(
          "%s cannot be the interface of a service: its package is not open to io.forebay.call"
              .formatted(type.getTypeName()),
          e);
    }
  }

  /**
   * The same protocol, whose messages carry the trace of the current span, and whose services
   * record spans.
   */
  public Protocol<T> traced(Tracing with) {
    return new Protocol<>(type, methods, classes, writerClass, refused, with);
  }

  /**
   * Creates a writer; the id of a message determines its partition. The futures that its calls
   * return fail at once: nobody receives the results.
   */
  public Writer<T> writer(MessageQueue queue) {
    return writer(queue, Writer.PARTITION_BY_ID, null, null);
  }

  /** Creates a writer whose results are received. */
  public Writer<T> writer(MessageQueue queue, PendingResults<T> results) {
    return writer(queue, Writer.PARTITION_BY_ID, null, results);
  }

  /** Creates a writer whose results are received, for the partition of a key. */
  public Writer<T> writer(MessageQueue queue, String key, PendingResults<T> results) {
    return writer(queue, Partitioner.partition(key, queue.partitions()), null, results);
  }

  /**
   * Creates a writer whose messages all go to the partition of the key, and so keep their order.
   */
  public Writer<T> writer(MessageQueue queue, String key) {
    return writer(queue, Partitioner.partition(key, queue.partitions()));
  }

  /** Creates a writer whose messages all go to one partition. */
  public Writer<T> writer(MessageQueue queue, int partition) {
    return writer(queue, partition, null, null);
  }

  /**
   * Creates a writer of messages for a queue that go elsewhere first; {@link Writer#forward}
   * appends them to the queue.
   */
  public Writer<T> writer(MessageQueue queue, Appender first) {
    return writer(queue, Writer.PARTITION_BY_ID, first, null);
  }

  private Writer<T> writer(
      MessageQueue queue,
      int partition,
      @Nullable Appender first,
      @Nullable PendingResults<T> results) {
    return new Writer<>(this, queue, partition, first, results, AppendClock.system());
  }

  /**
   * Creates the only writer of answers in one partition; see {@link MessageQueue#answers}.
   *
   * @throws IllegalArgumentException if a method of this protocol has a result
   */
  public Output<T> output(MessageQueue queue, int partition) {
    mustBeAnswers();
    return new Output<>(this, queue, partition, queue.answers(partition), AppendClock.system());
  }

  /** As the other method, for a consumer whose offset is {@link Output#commits committed}. */
  public Output<T> output(MessageQueue queue, int partition, Subscription consumer) {
    mustBeAnswers();
    return new Output<>(
        this, queue, partition, queue.answers(partition, consumer), AppendClock.system());
  }

  /**
   * Creates a reader that calls {@code target} for each message passed to it.
   *
   * @param queueName the queue of the messages, for error texts
   */
  public CallReader<T> reader(String queueName, T target) {
    return new CallReader<>(this, queueName, target, (_, _, _) -> {}, null);
  }

  /**
   * Creates a reader like the other one, which also adds the results of the calls to their answers.
   *
   * @param answers where the target answers
   * @param wait waits until a future that the target returned is complete
   */
  public CallReader<T> reader(String queueName, T target, Output<?> answers, ResultWait wait) {
    ValueWriter values = answers.results(this);
    return new CallReader<>(
        this,
        queueName,
        target,
        (message, method, returned) -> {
          if (!(returned instanceof CompletableFuture<?> future)) {
            throw new IllegalStateException(
                "method %s of %s returned null instead of a future"
                    .formatted(method.name, target.getClass().getTypeName()));
          }
          Object result = wait.await(future);
          answers.result(message, method, values, result);
        },
        answers.recorder());
  }

  /** Waits for what a method of a component returned. */
  @FunctionalInterface
  public interface ResultWait {

    /** Returns the result, or throws what the future failed with. */
    @Nullable Object await(CompletableFuture<?> future) throws Throwable;
  }

  /** Creates a reader of a whole queue that calls {@code target} for each message. */
  public Reader<T> reader(MessageQueue queue, T target) {
    return new Reader<>(queue, reader(queue.name(), target));
  }

  /** How many messages of its writers the queues refused. */
  public long refused() {
    return refused.sum();
  }

  /** The interface. */
  public Class<T> type() {
    return type;
  }

  /** Whether a method has a result: returns a {@link CompletableFuture}. */
  public boolean hasResults() {
    return Stream.of(methods).anyMatch(it -> it.result != null);
  }

  /**
   * Checks that the interface can be used for answers.
   *
   * @throws IllegalArgumentException if a method has a result
   */
  public void mustBeAnswers() {
    if (hasResults()) {
      throw new IllegalArgumentException(
          "%s cannot be the interface of answers: its methods must return void"
              .formatted(type.getTypeName()));
    }
  }

  void countRefused() {
    refused.increment();
  }

  Tracing tracing() {
    return tracing;
  }

  ProtocolMethod[] methods() {
    return methods;
  }

  Classes classes() {
    return classes;
  }

  T calls(CallEncoder encoder) {
    return type.cast(writerClass.instance(encoder));
  }
}
