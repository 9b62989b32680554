/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.ChunkFunction;
import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.memory.MemoryBackend;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Chunks over queues in memory, of two partitions. */
class MemoryTransportTest extends ChunkTransportContract {

  private static final MemoryBackend BACKEND = MemoryBackend.open();
  private static final ServiceQueues QUEUES = ServiceQueues.open(BACKEND, SERVICE.name(), 2);
  private static final QueuedService SERVED = new QueuedService(SERVICE, QUEUES);

  @BeforeAll
  static void start() {
    SERVED.start();
  }

  @AfterAll
  static void stop() {
    SERVED.stop();
    QUEUES.close();
    BACKEND.close();
  }

  @Override
  <A, R extends @Nullable Object> ChunkFunction<A, R> connect(
      ChunkCodec<A, R> codec, Duration timeout) {
    return QueueChunks.to(QUEUES, codec, timeout);
  }
}
