/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.hosting.AnswerReceiver;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceState;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.util.List;
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
public final class OwnService<I, O> implements SmartLifecycle, AutoCloseable {

  private final ServiceDefinition<I, O> definition;
  private final Supplier<List<O>> receivers;
  private final Path data;
  private final MessageQueue in;
  private final MessageQueue out;
  private final Service<I, O> service;
  private final Writer<I> sharedWriter;
  private @Nullable AnswerReceiver<O> receiver;
  private volatile boolean running;

  /**
   * @param data the directory that records which answers were received
   * @param remembered stores which queue it performs
   * @param receivers called when the service starts
   */
  OwnService(
      ServiceDefinition<I, O> definition,
      QueueBackend backend,
      Path data,
      HostedProgress remembered,
      Supplier<List<O>> receivers) {
    this.definition = definition;
    this.receivers = receivers;
    this.data = data;
    in = backend.open(definition.name() + ".in", definition.partitions());
    out =
        backend.open(definition.name() + ".out", definition.partitions(), definition.answersKept());
    service =
        new Service<>(
            definition.name(),
            new Service.End<>(in, definition.calls()),
            new Service.End<>(out, definition.answers()),
            definition.factory(),
            definition.options(),
            remembered);
    sharedWriter = createWriter();
  }

  /**
   * The object whose calls are appended to the in-queue, one at a time; thread-safe. It throws like
   * a {@link Writer}; as there, a call that has returned is appended but not yet accepted.
   */
  public I calls() {
    return sharedWriter.sharedCalls();
  }

  /** Creates a writer for one thread; the message id determines the partition of a call. */
  public Writer<I> createWriter() {
    return definition.calls().writer(in);
  }

  /** Creates a writer for one thread; all its calls go to the partition of the key, in order. */
  public Writer<I> createWriter(String key) {
    return definition.calls().writer(in, key);
  }

  /** Creates a reader for one thread, which passes all answers still kept to {@code answers}. */
  public Reader<O> createReader(O answers) {
    return definition.answers().reader(out, answers);
  }

  public String name() {
    return definition.name();
  }

  public ServiceState state() {
    return service.state();
  }

  /** The in-queue. */
  public MessageQueue in() {
    return in;
  }

  /** The out-queue. */
  public MessageQueue out() {
    return out;
  }

  /** The service, to pause, resume and drain it. */
  public Service<I, O> service() {
    return service;
  }

  @Override
  public synchronized void start() {
    List<O> beans = receivers.get();
    if (!beans.isEmpty()) {
      receiver = new AnswerReceiver<>(definition, out, data, beans);
      receiver.start();
    }
    service.start();
    running = true;
  }

  /** Finishes the current batch and stops; the queues stay open and still accept calls. */
  @Override
  public synchronized void stop() {
    service.stop();
    if (receiver != null) {
      receiver.close();
      receiver = null;
    }
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Starts before the web server and stops after it. */
  @Override
  public int getPhase() {
    return 0;
  }

  /** Stops, and closes both queues. */
  @Override
  public void close() {
    try (out;
        in;
        sharedWriter) {
      stop();
    }
  }

  @Override
  public String toString() {
    return service.toString();
  }
}
