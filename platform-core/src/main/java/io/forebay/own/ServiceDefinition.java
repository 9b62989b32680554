/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.own;

import io.forebay.call.Aliases;
import io.forebay.call.Protocol;
import io.forebay.service.ComponentFactory;
import io.forebay.service.ServiceOptions;
import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Says that an interface is a service, with durable queues before and behind it. As a bean
 *
 * <pre>{@code
 * @Bean
 * ServiceDefinition<Pricing, Prices> pricing() {
 *   return ServiceDefinition.of("pricing", Pricing.class, Prices.class, PricingComponent::new);
 * }
 * }</pre>
 *
 * it makes Forebay open the queues {@code pricing.in} and {@code pricing.out} on the active
 * backend, start the service with the application and stop it with the application. There are then
 * these beans:
 *
 * <ul>
 *   <li>a {@code Pricing} to inject, for all threads: each call is appended to the in-queue and
 *       returns; the component performs it soon, after a restart too;
 *   <li>an {@link OwnService}, for writers without allocation, readers and the state;
 * </ul>
 *
 * and every bean of the application that implements {@code Prices} is called with each answer.
 *
 * <p>The bean method names both interfaces in its return type. Immutable and thread-safe.
 *
 * @param <I> the protocol of the calls, see {@link Protocol}
 * @param <O> the protocol of the answers
 */
public final class ServiceDefinition<I, O> {

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,39}");

  private final String name;
  private final Protocol<I> calls;
  private final Protocol<O> answers;
  private final ComponentFactory<I, O> factory;
  private final Settings settings;

  private record Settings(int partitions, Duration answersKept, ServiceOptions options) {}

  private ServiceDefinition(
      String name,
      Protocol<I> calls,
      Protocol<O> answers,
      ComponentFactory<I, O> factory,
      Settings settings) {
    this.name = name;
    this.calls = calls;
    this.answers = answers;
    this.factory = factory;
    this.settings = settings;
  }

  /**
   * A service with one partition, whose component is made by {@code component} when it starts.
   *
   * @param name names its queues, its threads and its progress; it must stay the same for the life
   *     of the data
   * @param component is given where to answer, and makes the component of a partition
   * @throws IllegalArgumentException if the name is not a letter and then up to 39 letters, digits
   *     and hyphens, all lower case, or an interface is no protocol
   */
  public static <I, O> ServiceDefinition<I, O> of(
      String name, Class<I> calls, Class<O> answers, Function<O, I> component) {
    return of(
        name, Protocol.of(calls), Protocol.of(answers), (_, answer) -> component.apply(answer));
  }

  /**
   * As the other, with protocols that may have {@link Aliases}, and a component that may want the
   * number of its partition.
   *
   * @throws IllegalArgumentException if the name is not allowed
   */
  public static <I, O> ServiceDefinition<I, O> of(
      String name, Protocol<I> calls, Protocol<O> answers, ComponentFactory<I, O> component) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the name of service %s is not a letter and then up to 39 letters, digits and hyphens, all lower case"
              .formatted(name));
    }
    return new ServiceDefinition<>(
        name,
        calls,
        answers,
        component,
        new Settings(1, Duration.ofHours(72), ServiceOptions.defaults()));
  }

  /** How many partitions its queues have when they are created; default 1. */
  public ServiceDefinition<I, O> withPartitions(int partitions) {
    return with(new Settings(partitions, settings.answersKept(), settings.options()));
  }

  /** How long answers are kept at least; default 72 h. */
  public ServiceDefinition<I, O> withAnswersKept(Duration kept) {
    return with(new Settings(settings.partitions(), kept, settings.options()));
  }

  public ServiceDefinition<I, O> withOptions(ServiceOptions options) {
    return with(new Settings(settings.partitions(), settings.answersKept(), options));
  }

  private ServiceDefinition<I, O> with(Settings changed) {
    return new ServiceDefinition<>(name, calls, answers, factory, changed);
  }

  public String name() {
    return name;
  }

  Protocol<I> calls() {
    return calls;
  }

  Protocol<O> answers() {
    return answers;
  }

  ComponentFactory<I, O> factory() {
    return factory;
  }

  int partitions() {
    return settings.partitions();
  }

  Duration answersKept() {
    return settings.answersKept();
  }

  ServiceOptions options() {
    return settings.options();
  }
}
