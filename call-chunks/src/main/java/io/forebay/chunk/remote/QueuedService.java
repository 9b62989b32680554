/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.call.Protocol;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceQueues;
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
public final class QueuedService extends HostedService<ChunkCalls, ChunkReplies>
    implements SmartLifecycle {

  static final Protocol<ChunkCalls> CALLS = Protocol.of(ChunkCalls.class);
  static final Protocol<ChunkReplies> REPLIES = Protocol.of(ChunkReplies.class);

  private static final Logger log = LoggerFactory.getLogger(QueuedService.class);

  /** A service that stores no progress outside of its queues. */
  public QueuedService(ListService<?, ?> service, ServiceQueues queues) {
    this(service, queues, HostedProgress.none());
  }

  /**
   * @param queues are closed with this
   * @param remembered stores which queue it performs
   */
  public QueuedService(ListService<?, ?> service, ServiceQueues queues, HostedProgress remembered) {
    // One message per batch: on a shared queue, replies become visible at the end of a batch.
    super(
        new Service<>(
            service.name(),
            new Service.End<>(queues.in(), CALLS),
            new Service.End<>(queues.out(), REPLIES),
            (_, replies) -> arguments -> answer(service, arguments, replies),
            ServiceOptions.defaults().withMaxBatch(1),
            remembered,
            null));
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

  /** Starts before the web server and stops after it. */
  @Override
  public int getPhase() {
    return 0;
  }
}
