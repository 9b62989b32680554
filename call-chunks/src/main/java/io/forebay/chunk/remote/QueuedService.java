/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.queue.QueueRefused;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.HostedProgress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Performs the chunks of a queue, one after the other in each partition, and answers each with one
 * message. After a crash it resumes after the last chunk that is answered in the out-queue.
 *
 * <p>As a bean it starts and stops with the application. Thread-safe.
 */
public final class QueuedService implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(QueuedService.class);

  private final Service<ChunkCalls, ChunkReplies> service;
  private volatile boolean running;

  /**
   * A service that stores no progress outside of its queues.
   *
   * @param queues stay open when this stops; chunks are still accepted
   */
  public QueuedService(ListService<?, ?> service, ChunkQueues queues) {
    this(service, queues, HostedProgress.none());
  }

  /**
   * @param queues stay open when this stops; chunks are still accepted
   * @param remembered stores which queue it performs
   */
  public QueuedService(ListService<?, ?> service, ChunkQueues queues, HostedProgress remembered) {
    // One message per batch: on a shared queue, replies become visible at the end of a batch.
    this.service =
        new Service<>(
            service.name(),
            new Service.End<>(queues.in(), ChunkQueues.CALLS),
            new Service.End<>(queues.out(), ChunkQueues.REPLIES),
            (_, replies) -> arguments -> answer(service, arguments, replies),
            ServiceOptions.defaults().withMaxBatch(1),
            remembered);
  }

  private static <A> void answer(
      ListService<A, ?> service, byte[] arguments, ChunkReplies replies) {
    try {
      byte[] answer = service.perform(service.codec().readArguments(arguments));
      try {
        replies.replied(answer);
      } catch (QueueRefused e) {
        if (e.reason() != QueueRefused.Reason.TOO_LARGE) {
          throw e;
        }
        log.error(
            "service {} performed a chunk whose replies exceed the maximum message size (bytes={}); its calls fail",
            service.name(),
            answer.length);
        throw new ServiceFailed(
            ServiceFailed.REPLY_TOO_LARGE,
            "the chunk was performed, but its replies (%,d bytes) exceed the maximum message size; call with fewer items per chunk"
                .formatted(answer.length));
      }
    } catch (ServiceFailed e) {
      replies.failed(e.code(), e.text());
    }
  }

  /** The service, to pause, resume and drain it. */
  public Service<?, ?> service() {
    return service;
  }

  @Override
  public synchronized void start() {
    service.start();
    running = true;
  }

  /** Finishes the current chunk and stops. */
  @Override
  public synchronized void stop() {
    service.stop();
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
}
