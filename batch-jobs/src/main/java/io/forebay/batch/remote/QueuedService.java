/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.remote;

import io.forebay.queue.QueueRefused;
import io.forebay.service.HostedProgress;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Performs the chunks of a queue, one after the other in each partition, and answers each with one
 * message. After a crash it goes on behind the last chunk that is answered in the out-queue.
 *
 * <p>It starts and stops with the application whose bean it is. Thread-safe.
 */
public final class QueuedService implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(QueuedService.class);

  private final Service<ChunkCalls, ChunkReplies> service;
  private volatile boolean running;

  /**
   * A service that remembers nothing outside of its queues.
   *
   * @param queues stay open when this stops; chunks are accepted meanwhile
   */
  public QueuedService(ListService<?, ?> service, ChunkQueues queues) {
    this(service, queues, HostedProgress.none());
  }

  /**
   * @param queues stay open when this stops; chunks are accepted meanwhile
   * @param remembered which queue it performs
   */
  public QueuedService(ListService<?, ?> service, ChunkQueues queues, HostedProgress remembered) {
    // One message at a time: on a shared queue the replies of a batch are seen at its end only.
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
            "service {} performed a chunk whose replies are larger than a message may be (bytes={}); its caller is told that it failed",
            service.name(),
            answer.length);
        throw new ServiceFailed(
            ServiceFailed.REPLY_TOO_LARGE,
            "the chunk was performed, and its replies have %,d bytes, more than a message may have; call with fewer items per chunk"
                .formatted(answer.length));
      }
    } catch (ServiceFailed e) {
      replies.failed(e.code(), e.text());
    }
  }

  /** To pause, resume and drain it. */
  public Service<?, ?> service() {
    return service;
  }

  @Override
  public synchronized void start() {
    service.start();
    running = true;
  }

  /** Finishes the chunk in hand and stops. */
  @Override
  public synchronized void stop() {
    service.stop();
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Before the web server, and stopped after it. */
  @Override
  public int getPhase() {
    return 0;
  }
}
