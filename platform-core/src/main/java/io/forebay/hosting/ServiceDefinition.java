/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.NoEvents;
import io.forebay.call.Protocol;
import io.forebay.queue.MessageQueue;
import io.forebay.service.ComponentFactory;
import io.forebay.service.ServiceOptions;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.trace.Tracing;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Defines a service by its interfaces, with durable queues before and behind it. As a bean
 *
 * <pre>{@code
 * @Bean
 * ServiceDefinition<Pricing, Prices> pricing() {
 *   return ServiceDefinition.of("pricing", Pricing.class, Prices.class, PricingComponent::new);
 * }
 * }</pre>
 *
 * Forebay opens the queues {@code pricing.in} and {@code pricing.out} on the active backend and
 * starts and stops the service with the application. It adds these beans:
 *
 * <ul>
 *   <li>a {@code Pricing} to inject, thread-safe: each call is appended to the in-queue and
 *       returns; the component performs it later, even after a restart. If the method has a result,
 *       the call returns a {@link io.forebay.call.PendingResult};
 *   <li>an {@code OwnService}, for writers without allocation, readers and the state;
 * </ul>
 *
 * and every bean of the application that implements {@code Prices} is called with each answer.
 *
 * <p>The bean method names both interfaces in its return type. Immutable and thread-safe.
 *
 * @param name names its queues, its threads and its progress; it must stay the same for the life of
 *     the data
 * @param factory creates the component of a partition
 * @param source the service whose answers it performs; empty if it has an in-queue of its own
 * @param partitions the number of partitions of its queues when they are created; default 1
 * @param answersKept the shortest time that answers are kept; default 72 h
 * @param deadLettersKept the shortest time that dead letters are kept; default 30 days
 * @param await how long a call without a result waits, see {@link #withAwait}; null for the default
 * @param <I> the protocol of the calls, see {@link Protocol}
 * @param <O> the protocol of the answers
 */
public record ServiceDefinition<I, O>(
    String name,
    Protocol<I> calls,
    Protocol<O> answers,
    ComponentFactory<I, O> factory,
    Optional<String> source,
    int partitions,
    Duration answersKept,
    Duration deadLettersKept,
    @Nullable Duration await,
    ServiceOptions options) {

  private static final Duration AWAIT_SHARED = Duration.ofSeconds(30);
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,39}");

  /**
   * @throws IllegalArgumentException if the name is not a letter and then up to 39 letters, digits
   *     and hyphens, all lower case, or a method of the answers has a result
   */
  public ServiceDefinition {
    answers.mustBeAnswers();
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          ("invalid service name %s: use a lower-case letter, then up to 39"
                  + " lower-case letters, digits and hyphens")
              .formatted(name));
    }
  }

  /**
   * Defines a service with one partition; {@code component} creates its component at the start.
   *
   * @param name names its queues, its threads and its progress; it must stay the same for the life
   *     of the data
   * @param component receives the object to answer with, and creates the component of a partition
   * @throws IllegalArgumentException if the name is not a letter and then up to 39 letters, digits
   *     and hyphens, all lower case, or an interface is not a protocol
   */
  public static <I, O> ServiceDefinition<I, O> of(
      String name, Class<I> calls, Class<O> answers, Function<O, I> component) {
    return of(
        name, Protocol.of(calls), Protocol.of(answers), (_, answer) -> component.apply(answer));
  }

  /**
   * Like the other method, for a service that answers only with the results of its methods: each
   * returns a {@link java.util.concurrent.CompletableFuture}, or nothing.
   *
   * @param component creates the component of a partition
   */
  public static <I> ServiceDefinition<I, NoEvents> of(
      String name, Class<I> calls, Supplier<I> component) {
    return of(name, Protocol.of(calls), Protocol.of(NoEvents.class), (_, _) -> component.get());
  }

  /**
   * Like the other methods, but with protocols that may have {@link io.forebay.call.value.Aliases}
   * and a component factory that receives the partition number.
   *
   * @throws IllegalArgumentException if the name is not allowed, or a method of the answers has a
   *     result
   */
  public static <I, O> ServiceDefinition<I, O> of(
      String name, Protocol<I> calls, Protocol<O> answers, ComponentFactory<I, O> component) {
    return new ServiceDefinition<>(
        name,
        calls,
        answers,
        component,
        Optional.empty(),
        1,
        Duration.ofHours(72),
        Duration.ofDays(30),
        null,
        ServiceOptions.defaults());
  }

  /**
   * Makes it the next stage of a pipeline: it performs the answers of another service of the
   * application, and nothing else can call it. It has no in-queue of its own but reads the other
   * service's out-queue, so it has as many partitions, and its answers have the ids of the calls to
   * the first stage. All answers to one message are performed together, and are answered by one
   * message. A message that the stage before gave up reaches its component only if that is a {@link
   * io.forebay.call.FailureReceiver}.
   *
   * <p>A stage performs each message again that was in progress at a crash, as every service; its
   * answers are in its out-queue once.
   */
  public ServiceDefinition<I, O> from(ServiceDefinition<?, I> before) {
    return with(
        Optional.of(before.name), before.partitions, answersKept, deadLettersKept, await, options);
  }

  /**
   * Sets the number of partitions of its queues when they are created.
   *
   * @throws IllegalArgumentException if it is a later stage of a pipeline: it has as many as the
   *     first
   */
  public ServiceDefinition<I, O> withPartitions(int count) {
    if (source.isPresent()) {
      throw new IllegalArgumentException(
          "service %s performs the answers of service %s and has as many partitions; set them there"
              .formatted(name, source.get()));
    }
    return with(source, count, answersKept, deadLettersKept, await, options);
  }

  /** Sets the shortest time that answers are kept. */
  public ServiceDefinition<I, O> withAnswersKept(Duration kept) {
    return with(source, partitions, kept, deadLettersKept, await, options);
  }

  /** Sets the shortest time that dead letters are kept. */
  public ServiceDefinition<I, O> withDeadLettersKept(Duration kept) {
    return with(source, partitions, answersKept, kept, await, options);
  }

  /**
   * How long a call without a result, of the bean of the interface, waits until the queue has
   * accepted it; then it throws {@link io.forebay.queue.QueueUnavailable}. Zero: it returns when
   * the message is appended. Default: 30 s if other hosts share the queue, because appended
   * messages are in the memory of the process there; otherwise zero.
   */
  public ServiceDefinition<I, O> withAwait(Duration longest) {
    return with(source, partitions, answersKept, deadLettersKept, longest, options);
  }

  /** How long a call waits if this is the in-queue; see {@link #withAwait}. */
  public Duration await(MessageQueue in) {
    return await != null ? await : in.shared() ? AWAIT_SHARED : Duration.ZERO;
  }

  /**
   * What happens with a call whose component throws; default {@link ErrorPolicy#defaults()}. Not
   * for a component that is {@link io.forebay.service.BatchAware}: it handles its errors itself.
   */
  public ServiceDefinition<I, O> withErrorPolicy(ErrorPolicy policy) {
    return withOptions(options.withOnError(policy));
  }

  /** Records spans of its calls, and adds traces to what it and its callers send. */
  public ServiceDefinition<I, O> withTracing(Tracing tracing) {
    return new ServiceDefinition<>(
        name,
        calls.traced(tracing),
        answers.traced(tracing),
        factory,
        source,
        partitions,
        answersKept,
        deadLettersKept,
        await,
        options);
  }

  public ServiceDefinition<I, O> withOptions(ServiceOptions changed) {
    return with(source, partitions, answersKept, deadLettersKept, await, changed);
  }

  private ServiceDefinition<I, O> with(
      Optional<String> newSource,
      int count,
      Duration answers,
      Duration letters,
      @Nullable Duration longest,
      ServiceOptions changed) {
    return new ServiceDefinition<>(
        name, calls, this.answers, factory, newSource, count, answers, letters, longest, changed);
  }
}
