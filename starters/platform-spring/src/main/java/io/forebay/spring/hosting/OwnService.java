/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.AnswerReceiver;
import io.forebay.hosting.AnswerTransactions;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.queue.QueueBackend;
import io.forebay.service.ServiceState;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * A service of the application's own. It starts and stops with the application, and calls its
 * receivers with the answers. Thread-safe; its writers and readers are not.
 *
 * @param <I> the protocol of the calls
 * @param <O> the protocol of the answers
 */
public final class OwnService<I, O> extends DefinedService<I, O> implements SmartLifecycle {

  private final Supplier<List<O>> receivers;
  private final Path data;
  private final @Nullable AnswerTransactions transactions;
  private volatile @Nullable AnswerReceiver<O> receiver;

  /**
   * @param data the directory that records which answers were received
   * @param remembered stores which queue it performs
   * @param receivers called when the service starts
   * @param transactions deliver the answers, or null
   * @param source the stage before it, or null
   */
  OwnService(
      QueueBackend backend,
      ServiceDefinition<I, O> definition,
      Path data,
      HostedProgress remembered,
      Supplier<List<O>> receivers,
      @Nullable AnswerTransactions transactions,
      @Nullable OwnService<?, I> source) {
    super(backend, definition, remembered, source);
    this.receivers = receivers;
    this.data = data;
    this.transactions = transactions;
  }

  @Override
  public synchronized void start() {
    List<O> beans = receivers.get();
    if (!beans.isEmpty()) {
      if (transactions != null) {
        transactions.mustBeUsable();
      }
      AnswerReceiver<O> started =
          new AnswerReceiver<>(definition(), out(), data, beans, transactions);
      receiver = started;
      started.start();
    }
    super.start();
  }

  @Override
  public synchronized void stop() {
    super.stop();
    AnswerReceiver<O> started = receiver;
    if (started != null) {
      started.close();
      receiver = null;
    }
  }

  /** Whether the beans that receive answers have received every answer given so far. */
  public boolean hasDeliveredAll() {
    AnswerReceiver<O> started = receiver;
    return started == null || started.hasReceivedAll();
  }

  @Override
  public OptionalLong unreceived() {
    AnswerReceiver<O> started = receiver;
    return started == null ? super.unreceived() : started.waiting();
  }

  @Override
  public long skipped() {
    AnswerReceiver<O> started = receiver;
    return started == null ? super.skipped() : started.skipped();
  }

  /**
   * Receivers that wait do not keep the service from accepting calls, also if they need a restart.
   */
  @Override
  protected Optional<ServiceState> receiving() {
    AnswerReceiver<O> started = receiver;
    return started == null
        ? Optional.empty()
        : started
            .outage()
            .map(it -> new ServiceState(ServiceState.Phase.WAITING, it.text(), it.since(), null));
  }

  /** Starts before the web server and stops after it. */
  @Override
  public int getPhase() {
    return 0;
  }
}
