/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.call.PendingResult;
import io.forebay.call.Protocol;
import io.forebay.call.SharedWriter;
import io.forebay.call.Writer;
import io.forebay.hosting.AnswerReceiver;
import io.forebay.hosting.AnswerTransactions;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ResultReceiver;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.hosting.ServiceQueues;
import io.forebay.service.Service;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * A service of the application's own, with its queues. It starts and stops with the application.
 * Thread-safe; its writers and readers are not.
 *
 * @param <I> the protocol of the calls
 * @param <O> the protocol of the answers
 */
public final class OwnService<I, O> extends HostedService<I, O> implements SmartLifecycle {

  private final ServiceDefinition<I, O> definition;
  private final Supplier<List<O>> receivers;
  private final Path data;
  private final @Nullable AnswerTransactions transactions;
  private final SharedWriter<I> sharedWriter;
  private final DeadLetterQueue letters;
  private final @Nullable ResultReceiver<I> results;
  private @Nullable AnswerReceiver<O> receiver;

  /**
   * @param letters is closed with this
   * @param data the directory that records which answers were received
   * @param remembered stores which queue it performs
   * @param receivers called when the service starts
   * @param transactions deliver the answers, or null
   */
  OwnService(
      ServiceDefinition<I, O> definition,
      ServiceQueues queues,
      DeadLetterQueue letters,
      Path data,
      HostedProgress remembered,
      Supplier<List<O>> receivers,
      @Nullable AnswerTransactions transactions) {
    super(
        new Service<>(
            definition.name(),
            new Service.End<>(queues.in(), definition.calls()),
            new Service.End<>(queues.out(), definition.answers()),
            definition.factory(),
            definition.options(),
            remembered,
            letters));
    this.letters = letters;
    this.definition = definition;
    this.receivers = receivers;
    this.data = data;
    this.transactions = transactions;
    Protocol<I> calls = definition.calls();
    results =
        calls.hasResults()
            ? new ResultReceiver<>(calls, queues.out(), definition.answersKept())
            : null;
    sharedWriter = new SharedWriter<>(calls.type(), this::createWriter);
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
   * The result of a call, for example one that was sent before a restart; see {@link
   * ResultReceiver#find}.
   *
   * @param id of the call, see {@link PendingResult#id(java.util.concurrent.CompletableFuture)}
   * @param type the class of the result, such as {@code List.class}
   * @throws IllegalStateException if no method of the service has a result
   */
  public <R> PendingResult<R> result(UUID id, Class<R> type) {
    if (results == null) {
      throw new IllegalStateException(
          "no method of service %s has a result; let one return a CompletableFuture"
              .formatted(definition.name()));
    }
    return results.find(id, type);
  }

  /**
   * The object whose calls are appended to the in-queue, one at a time; thread-safe. It throws like
   * a {@link io.forebay.call.Writer}; as there, a call that has returned is appended but not yet
   * accepted.
   */
  public I calls() {
    return sharedWriter.calls();
  }

  @Override
  public synchronized void start() {
    List<O> beans = receivers.get();
    if (!beans.isEmpty()) {
      receiver = new AnswerReceiver<>(definition, out(), data, beans, transactions);
      receiver.start();
    }
    super.start();
  }

  @Override
  public synchronized void stop() {
    super.stop();
    if (receiver != null) {
      receiver.close();
      receiver = null;
    }
  }

  /** Starts before the web server and stops after it. */
  @Override
  public int getPhase() {
    return 0;
  }

  /** The messages that it gave up. */
  DeadLetterQueue letters() {
    return letters;
  }

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
