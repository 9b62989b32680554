/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.AnswerReceiver;
import io.forebay.hosting.AnswerTransactions;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.util.List;
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
  private @Nullable AnswerReceiver<O> receiver;

  /**
   * @param data the directory that records which answers were received
   * @param remembered stores which queue it performs
   * @param receivers called when the service starts
   * @param transactions deliver the answers, or null
   * @param source the stage before it, or null
   */
  OwnService(
      ServiceDefinition<I, O> definition,
      Parts parts,
      Path data,
      HostedProgress remembered,
      Supplier<List<O>> receivers,
      @Nullable AnswerTransactions transactions,
      @Nullable OwnService<?, I> source) {
    super(definition, parts, remembered, source);
    this.receivers = receivers;
    this.data = data;
    this.transactions = transactions;
  }

  @Override
  public synchronized void start() {
    List<O> beans = receivers.get();
    if (!beans.isEmpty()) {
      receiver = new AnswerReceiver<>(definition(), out(), data, beans, transactions);
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

  /** Whether the beans that receive answers have received every answer given so far. */
  public synchronized boolean hasDeliveredAll() {
    return receiver == null || receiver.hasReceivedAll();
  }

  /** Starts before the web server and stops after it. */
  @Override
  public int getPhase() {
    return 0;
  }
}
