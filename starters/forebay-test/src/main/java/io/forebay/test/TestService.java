/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import io.forebay.call.FailureReceiver;
import io.forebay.call.Reader;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.HostedDeadLetters;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.PartitionView;
import io.forebay.service.errors.BlockingMessage;
import io.forebay.service.progress.HostedProgress;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs your own service with queues in memory, without Spring:
 *
 * <pre>{@code
 * try (TestService<Pricing, Prices> pricing = TestService.start(definition)) {
 *   pricing.calls().price(order, 3);
 *   pricing.awaitPerformed();
 *   assertThat(pricing.answers()).containsExactly(answer("priced", order, new BigDecimal("7.50")));
 * }
 * }</pre>
 *
 * Calls, failures and dead letters are those of the real service. Its back-offs wait for the {@link
 * #clock()}. Thread-safe, except {@link #answers()}.
 *
 * @param <I> the protocol of the calls
 * @param <O> the protocol of the answers
 */
public final class TestService<I, O> implements AutoCloseable {

  private static final int MOST = 1_000;
  private static final Duration A_WHILE = Duration.ofSeconds(5);

  private final TestClock clock = new TestClock();
  private final MemoryBackend backend = MemoryBackend.open();
  private final DefinedService<I, O> service;
  private final Reader<O> reader;
  private final List<Answer> answers = new ArrayList<>();

  private TestService(ServiceDefinition<I, O> definition) {
    service =
        DefinedService.open(
            backend,
            definition.withOptions(definition.options().withTime(clock)),
            HostedProgress.none());
    reader = service.createReader(recorder(definition.answers().type()));
    try {
      service.start();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /**
   * Starts the service.
   *
   * @throws io.forebay.operations.StartRefused if its component cannot be created
   */
  public static <I, O> TestService<I, O> start(ServiceDefinition<I, O> definition) {
    return new TestService<>(definition);
  }

  /** The object whose calls are appended to the in-queue; thread-safe. */
  public I calls() {
    return service.calls();
  }

  /** The clock of the service. */
  public TestClock clock() {
    return clock;
  }

  /** The running service, for writers, results and its state. */
  public DefinedService<I, O> service() {
    return service;
  }

  /**
   * Waits until every call is performed and answered, or given up, and its result is complete.
   * Moves the clock if the service waits before it retries a call.
   *
   * @throws org.awaitility.core.ConditionTimeoutException if that takes longer than 30 s; it says
   *     what the service waits for
   */
  public void awaitPerformed() {
    ServiceWait.until(
        List.of(service),
        () -> {
          ServiceWait.retryNow(service, clock);
          return ServiceWait.isPerformed(service) && service.pendingResults() == 0;
        });
  }

  /**
   * Waits until a call has failed that often and waits for its next try. Move the {@link #clock()}
   * to end the wait.
   *
   * @throws org.awaitility.core.ConditionTimeoutException if that takes longer than 30 s
   */
  public void awaitTries(int count) {
    ServiceWait.until(List.of(service), () -> ServiceWait.tries(service) >= count);
  }

  /**
   * Fails a call whose future does not complete, as an operator does: waits until the service lists
   * the call, and moves the clock meanwhile.
   *
   * @throws org.awaitility.core.ConditionTimeoutException if no call is listed within 30 s
   */
  public void failHanging(String reason) {
    ServiceWait.until(
        List.of(service),
        () -> {
          clock.advance(A_WHILE);
          return service.view().partitions().stream().anyMatch(it -> fail(it, reason));
        });
  }

  private boolean fail(PartitionView partition, String reason) {
    BlockingMessage waiting = partition.waitsFor();
    return waiting != null
        && service.failMessage(partition.partition(), waiting.position(), reason);
  }

  /** All answers so far: events and failures, in order within a partition; not results. */
  public List<Answer> answers() {
    while (reader.poll(MOST) > 0) {
      // adds to the answers
    }
    return List.copyOf(answers);
  }

  /** The dead letters, the latest first. */
  public List<Failure> deadLetters() {
    return letters().list(null, null, Failures.MAX_LIMIT).failures();
  }

  /** Sends the call of a dead letter again; returns the letter with its replay. */
  public Failure replay(Failure letter) {
    return letters()
        .replay(letter.id(), "test")
        .orElseThrow(() -> new IllegalArgumentException("no dead letter " + letter.id()));
  }

  private Failures letters() {
    return new Failures(List.of(new HostedDeadLetters<>(service, service.letters())));
  }

  private O recorder(Class<O> type) {
    InvocationHandler record =
        (_, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
              case "hashCode" -> System.identityHashCode(this);
              case "toString" -> "recorder of " + type.getSimpleName();
              default -> false;
            };
          }
          answers.add(
              new Answer(
                  method.getName(), arguments == null ? List.of() : Arrays.asList(arguments)));
          return null;
        };
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type, FailureReceiver.class}, record));
  }

  /** Stops the service; its queues are lost. */
  @Override
  public void close() {
    try (backend;
        reader) {
      service.close();
    }
  }
}
