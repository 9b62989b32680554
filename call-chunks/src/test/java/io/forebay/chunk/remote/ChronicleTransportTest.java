/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chunk.ChunkFunction;
import io.forebay.hosting.ServiceQueues;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Chunks over queues on disk. */
class ChronicleTransportTest extends ChunkTransportContract {

  @TempDir static Path data;

  private static ChronicleBackend backend;
  private static ServiceQueues queues;
  private static QueuedService served;

  @BeforeAll
  static void start() {
    backend = ChronicleBackend.open(data, ChronicleBackend.Options.defaults().withMinFree(0, 0));
    queues = ServiceQueues.open(backend, SERVICE.name(), 1);
    served = new QueuedService(SERVICE, queues);
    served.start();
  }

  @AfterAll
  static void stop() {
    served.stop();
    queues.close();
    backend.close();
  }

  @Override
  <A, R extends @Nullable Object> ChunkFunction<A, R> connect(
      ChunkCodec<A, R> codec, Duration timeout) {
    return QueueChunks.to(queues, codec, timeout);
  }
}
