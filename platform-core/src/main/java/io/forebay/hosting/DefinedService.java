/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.PendingResult;
import io.forebay.call.SharedWriter;
import io.forebay.call.Writer;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;
import io.forebay.service.Service;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.progress.HostedProgress;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ServiceDefinition} with its queues, its dead letters and its callers. Thread-safe; its
 * writers and readers are not.
 *
 * @param <I> the protocol of the calls
 * @param <O> the protocol of the answers
 */
public class DefinedService<I, O> extends HostedService<I, O> {

  private final ServiceDefinition<I, O> definition;
  private final CheckedFactory<I, O> factory;
  private final DeadLetterQueue letters;
  private final @Nullable ResultReceiver<I> results;
  private final @Nullable SharedWriter<I> sharedWriter;

  /**
   * Opens the queues, and creates those that do not exist.
   *
   * @param remembered stores which queue it performs
   * @param source the stage before it, whose out-queue is its in-queue; null if there is none
   */
  protected DefinedService(
      QueueBackend backend,
      ServiceDefinition<I, O> definition,
      HostedProgress remembered,
      @Nullable DefinedService<?, I> source) {
    String name = definition.name();
    int partitions = definition.partitions();
    ServiceQueues queues =
        ServiceQueues.open(backend, name, partitions, definition.answersKept(), source);
    DeadLetterQueue opened;
    try {
      opened = DeadLetterQueue.open(backend, name, partitions, definition.deadLettersKept());
    } catch (RuntimeException | Error e) {
      if (source == null) {
        queues.in().close();
      }
      queues.out().close();
      throw e;
    }
    CheckedFactory<I, O> checked = new CheckedFactory<>(name, definition.factory());
    super(
        new Service<>(
            name,
            new Service.End<>(queues.in(), definition.calls()),
            new Service.End<>(queues.out(), definition.answers()),
            checked,
            definition.options(),
            remembered,
            opened),
        source);
    this.definition = definition;
    this.factory = checked;
    this.letters = opened;
    this.results =
        definition.calls().hasResults()
            ? new ResultReceiver<>(definition.calls(), queues.out(), definition.answersKept())
            : null;
    try {
      this.sharedWriter =
          source == null
              ? new SharedWriter<>(
                  definition.calls().type(), createWriter(), definition.await(queues.in()))
              : null;
    } catch (RuntimeException | Error e) {
      if (results != null) {
        results.close();
      }
      throw e;
    }
  }

  /**
   * Opens the queues of a service, which is not started yet.
   *
   * @param remembered stores which queue it performs
   */
  public static <I, O> DefinedService<I, O> open(
      QueueBackend backend, ServiceDefinition<I, O> definition, HostedProgress remembered) {
    return new DefinedService<>(backend, definition, remembered, null);
  }

  /**
   * Opens the out-queue of a later stage of a pipeline, which is not started yet. Its source starts
   * it before itself.
   *
   * @param source the stage before it; close it later than this one
   * @param remembered stores which queue it performs
   */
  public static <I, O> DefinedService<I, O> open(
      QueueBackend backend,
      ServiceDefinition<I, O> definition,
      DefinedService<?, I> source,
      HostedProgress remembered) {
    return new DefinedService<>(backend, definition, remembered, source);
  }

  /**
   * The object whose calls are appended to the in-queue, one at a time; thread-safe. It throws like
   * a {@link Writer}; as there, a call that has returned is appended but not yet accepted. A method
   * with a result returns a {@link PendingResult}.
   *
   * @throws IllegalStateException if it is a later stage of a pipeline
   */
  public I calls() {
    mustBeCallable();
    return Objects.requireNonNull(sharedWriter).calls();
  }

  /**
   * Starts performing, see {@link HostedService#start}.
   *
   * @throws io.forebay.operations.StartRefused if the component of a partition could not be
   *     created, and the queue is not shared; it is stopped then. On a shared queue, which assigns
   *     partitions later, such a partition fails
   */
  @Override
  public void start() {
    factory.begin();
    super.start();
    try {
      factory.mustHaveCreated();
    } catch (StartRefused e) {
      stop();
      throw e;
    }
  }

  @Override
  public Writer<I> createWriter() {
    return results == null
        ? super.createWriter()
        : definition.calls().writer(in(), results.pending());
  }

  @Override
  public Writer<I> createWriter(String key) {
    return results == null
        ? super.createWriter(key)
        : definition.calls().writer(in(), key, results.pending());
  }

  /**
   * The result of a call, for example of one that was sent before a restart; see {@link
   * ResultReceiver#find}.
   *
   * @param id of the call, see {@link PendingResult#id(java.util.concurrent.CompletableFuture)}
   * @param type the class of the result, such as {@code List.class}
   * @throws IllegalStateException if no method of the service has a result
   */
  public <R> PendingResult<R> result(UUID id, Class<R> type) {
    return receiver().find(id, type);
  }

  /**
   * The results of several calls, found by reading the answers once; see {@link #result}.
   *
   * @throws IllegalStateException if no method of the service has a result
   */
  public <R> Map<UUID, PendingResult<R>> results(Collection<UUID> ids, Class<R> type) {
    return receiver().find(ids, type);
  }

  private ResultReceiver<I> receiver() {
    if (results == null) {
      throw new IllegalStateException(
          "no method of service %s has a result; let one return a CompletableFuture"
              .formatted(definition.name()));
    }
    return results;
  }

  /**
   * How many calls of this process have no result yet. Calls that were only asked for by their id
   * do not count, because their result may never come.
   */
  public long pendingResults() {
    return results == null ? 0 : results.pending().sent();
  }

  /** What it performs. */
  public ServiceDefinition<I, O> definition() {
    return definition;
  }

  /** The messages that it gave up. */
  public DeadLetterQueue letters() {
    return letters;
  }

  /** Stops, and closes its queues; calls that wait for a result fail. */
  @Override
  public void close() {
    try (letters;
        sharedWriter) {
      if (results != null) {
        results.close();
      }
      super.close();
    }
  }
}
