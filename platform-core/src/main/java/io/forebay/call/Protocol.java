/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.Aliases;
import io.forebay.call.value.Classes;
import io.forebay.queue.MessageQueue;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.LongAdder;

/**
 * An interface whose calls are converted to messages and back. Its abstract methods return {@code
 * void}, have unique names, and have parameters of these types: {@code boolean}, {@code byte} to
 * {@code long}, {@code float}, {@code double} and their boxes, {@code BigDecimal}, {@code String},
 * {@code byte[]}, the classes of {@code java.time} for dates and times, {@code UUID}, {@link
 * io.forebay.call.value.Json}, {@code Class}, {@code Object}, enums, records, and lists and arrays
 * of these. Default and static methods are not part of it. The interface and the records need not
 * be public.
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
  private final LongAdder refused = new LongAdder();

  private Protocol(
      Class<T> type, ProtocolMethod[] methods, Classes classes, WriterClass writerClass) {
    this.type = type;
    this.methods = methods;
    this.classes = classes;
    this.writerClass = writerClass;
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
      return new Protocol<>(type, methods, declaration.classes(), writerClass);
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(
          "%s is not a protocol: its package is not open to io.forebay.call"
              .formatted(type.getTypeName()),
          e);
    }
  }

  /** Creates a writer; the id of a message determines its partition. */
  public Writer<T> writer(MessageQueue queue) {
    return new Writer<>(this, queue, null, AppendClock.system());
  }

  /**
   * Creates a writer whose messages all go to the partition of the key, and so keep their order.
   */
  public Writer<T> writer(MessageQueue queue, String key) {
    return new Writer<>(this, queue, key, AppendClock.system());
  }

  /** Creates a writer whose messages all go to one partition. */
  public Writer<T> writer(MessageQueue queue, int partition) {
    return new Writer<>(this, queue, partition, AppendClock.system());
  }

  /** Creates a writer of answers to the messages that are being handled. */
  public Output<T> output(MessageQueue queue) {
    return new Output<>(this, queue, queue.appender(), AppendClock.system());
  }

  /** Creates the only writer of answers in one partition; see {@link MessageQueue#answers}. */
  public Output<T> output(MessageQueue queue, int partition) {
    return new Output<>(this, queue, queue.answers(partition), AppendClock.system());
  }

  /**
   * Creates a reader that calls {@code target} for each message passed to it.
   *
   * @param queueName the queue of the messages, for error texts
   */
  public CallReader<T> reader(String queueName, T target) {
    return new CallReader<>(this, queueName, target);
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

  void countRefused() {
    refused.increment();
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
