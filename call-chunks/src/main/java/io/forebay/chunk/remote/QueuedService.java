/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.call.NoEvents;
import io.forebay.call.Protocol;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.HostedProgress;
import io.forebay.trace.Tracing;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Performs the chunks of a queue, one after the other in each partition, and answers each with one
 * message. After a crash it resumes after the last chunk that is answered in the out-queue.
 *
 * <p>As a bean it starts and stops with the application. Thread-safe.
 */
public final class QueuedService extends HostedService<ChunkCalls, NoEvents>
    implements SmartLifecycle {

  static final Protocol<ChunkCalls> CALLS = Protocol.of(ChunkCalls.class);
  private static final Protocol<NoEvents> EVENTS = Protocol.of(NoEvents.class);

  /** The most bytes that an answer has beside its replies. */
  private static final int ENVELOPE = 2_048;

  private static final Logger log = LoggerFactory.getLogger(QueuedService.class);

  /** A service that stores no progress outside of its queues. */
  public QueuedService(ListService<?, ?> service, ServiceQueues queues) {
    this(service, queues, HostedProgress.none(), Tracing.NONE);
  }

  /**
   * @param queues are closed with this
   * @param remembered stores which queue it performs
   * @param tracing records spans of its chunks
   */
  public QueuedService(
      ListService<?, ?> service, ServiceQueues queues, HostedProgress remembered, Tracing tracing) {
    // One message per batch: on a shared queue, replies become visible at the end of a batch.
    super(
        new Service<>(
            service.name(),
            new Service.End<>(queues.in(), CALLS.traced(tracing)),
            new Service.End<>(queues.out(), EVENTS),
            (_, _) ->
                arguments ->
                    CompletableFuture.completedFuture(
                        answer(service, arguments, queues.out().capabilities().maxMessageBytes())),
            ServiceOptions.defaults().withMaxBatch(1),
            remembered,
            null));
  }

  private static <A> ChunkCalls.Answer answer(
      ListService<A, ?> service, byte[] arguments, int maxMessageBytes) {
    try {
      byte[] replies = service.perform(service.codec().readArguments(arguments));
      if (replies.length <= maxMessageBytes - ENVELOPE) {
        return new ChunkCalls.Answer(replies, null, null);
      }
      log.error(
          "service {} performed a chunk whose replies exceed the maximum message size (bytes={}); its calls fail",
          service.name(),
          replies.length);
      return new ChunkCalls.Answer(
          null,
          ServiceFailed.REPLY_TOO_LARGE,
          "the chunk was performed, but its replies (%,d bytes) exceed the maximum message size; call with fewer items per chunk"
              .formatted(replies.length));
    } catch (ServiceFailed e) {
      return new ChunkCalls.Answer(null, e.code(), e.text());
    }
  }

  /** Starts before the web server and stops after it. */
  @Override
  public int getPhase() {
    return 0;
  }
}
