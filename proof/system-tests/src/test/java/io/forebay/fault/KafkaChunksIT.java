/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.chunk.Reply;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.ListService;
import io.forebay.chunk.remote.QueueChunks;
import io.forebay.chunk.remote.QueuedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.kafka.KafkaBackend;
import io.forebay.kafka.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chunks over topics: the caller and the service are two instances, as on two hosts. */
@Tag("proof")
@Timeout(600)
class KafkaChunksIT {

  private static final Duration SOON = Duration.ofSeconds(120);
  private static final ChunkCodec<Integer, Integer> NUMBERS =
      ChunkCodec.of(Integer.class, Integer.class);

  private final String prefix = UUID.randomUUID() + ".";
  private final AtomicInteger performed = new AtomicInteger();
  private final ListService<Integer, Integer> service =
      ListService.inOrder(
          "squares",
          NUMBERS,
          numbers -> {
            performed.incrementAndGet();
            return numbers.stream().map(number -> number * number).toList();
          });

  private KafkaBackend backend() {
    KafkaBackend.Options usual = KafkaBackend.Options.of(TestBroker.shared());
    return KafkaBackend.open(
        new KafkaBackend.Options(
            usual.client(),
            prefix,
            usual.replication(),
            usual.retention(),
            usual.keys(),
            usual.trustUnproven()));
  }

  private static List<Reply<Integer>> squares(int... numbers) {
    List<Reply<Integer>> squares = new ArrayList<>();
    for (int number : numbers) {
      squares.add(new Reply.Result<>(squares.size(), number * number));
    }
    return squares;
  }

  @Test
  void aCallerOnAnotherHostIsAnsweredEvenByTheInstanceThatTakesOver() throws Exception {
    try (KafkaBackend here = backend();
        ServiceQueues queues = ServiceQueues.open(here, "squares", 2);
        QueueChunks<Integer, Integer> chunks = QueueChunks.to(queues, NUMBERS, SOON);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      serveWhile(() -> {
        for (int call = 0; call < 5; call++) {
          assertThat(chunks.perform(List.of(call, 7)).toCompletableFuture().get())
              .isEqualTo(squares(call, 7));
        }
      });
      List<Future<List<Reply<Integer>>>> later = new ArrayList<>();
      for (int call = 0; call < 10; call++) {
        List<Integer> numbers = List.of(call);
        later.add(callers.submit(() -> chunks.perform(numbers).toCompletableFuture().get()));
      }
      await().until(() -> chunks.outstanding() == 10);
      serveWhile(() -> {
        for (int call = 0; call < 10; call++) {
          assertThat(later.get(call).get()).isEqualTo(squares(call));
        }
      });
      assertThat(performed).as("chunks performed; none repeated after its answer").hasValue(15);
    }
  }

  private interface Steps {
    void run() throws Exception;
  }

  private void serveWhile(Steps steps) throws Exception {
    try (KafkaBackend there = backend();
        ServiceQueues queues = ServiceQueues.open(there, "squares", 2)) {
      QueuedService served = new QueuedService(service, queues);
      served.start();
      try {
        steps.run();
      } finally {
        served.stop();
      }
    }
  }
}
