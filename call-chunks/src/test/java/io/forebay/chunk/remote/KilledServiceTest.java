/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Message;
import io.forebay.call.PendingResult;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chunk.Reply;
import io.forebay.hosting.ResultReceiver;
import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.Tailer;
import io.forebay.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service between queues on disk whose process is killed while it performs a chunk. */
@Timeout(600)
class KilledServiceTest {

  private static final ChunkCodec<Integer, Integer> NUMBERS =
      ChunkCodec.of(Integer.class, Integer.class);
  private static final int CHUNKS = 6;

  @TempDir Path directory;

  private static ChronicleBackend open(Path directory) {
    return ChronicleBackend.open(
        directory.resolve("data"), ChronicleBackend.Options.defaults().withMinFree(0, 0));
  }

  /** Records each number, which is its effect; blocks at one of them. */
  private static ListService<Integer, Integer> doubles(Path directory, int stopsAt) {
    return ListService.inOrder(
        "doubles",
        NUMBERS,
        numbers -> {
          Files.writeString(
              directory.resolve("effects"),
              numbers.getFirst() + "\n",
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND);
          if (numbers.contains(stopsAt)) {
            System.out.println("performing");
            Thread.sleep(Duration.ofDays(1));
          }
          return numbers.stream().map(number -> 2 * number).toList();
        });
  }

  /** Hands over all chunks, and blocks in the given one. */
  static final class Serving {
    public static void main(String[] arguments) throws InterruptedException {
      Path directory = Path.of(arguments[0]);
      int stopsAt = Integer.parseInt(arguments[1]);
      ServiceQueues queues = ServiceQueues.open(open(directory), "doubles", 1);
      if (queues.in().stats(0).end().orElse(0) == 0) {
        try (Writer<ChunkCalls> writer = QueuedService.CALLS.writer(queues.in())) {
          for (int chunk = 0; chunk < CHUNKS; chunk++) {
            writer.calls().perform("[%d]".formatted(chunk).getBytes());
          }
        }
      }
      new QueuedService(doubles(directory, stopsAt), queues).start();
      Thread.currentThread().join();
    }
  }

  @Test
  void onlyTheCurrentChunkIsPerformedAgainAndEachIsAnsweredOnce() throws Exception {
    for (int stopsAt : new int[] {2, 4}) {
      try (ChildProcess child = ChildProcess.start(Serving.class, directory, stopsAt)) {
        child.await("performing");
        child.kill();
      }
    }
    try (ChronicleBackend backend = open(directory);
        ServiceQueues queues = ServiceQueues.open(backend, "doubles", 1)) {
      QueuedService served = new QueuedService(doubles(directory, -1), queues);
      served.start();
      try (QueueChunks<Integer, Integer> chunks = QueueChunks.to(queues, NUMBERS)) {
        assertThat(chunks.perform(List.of(CHUNKS)).toCompletableFuture().get())
            .as("and a caller of the new process gets the answer to its own chunk")
            .containsExactly(new Reply.Result<>(0, 2 * CHUNKS));
      }
      assertThat(answers(queues))
          .containsExactly("[0]", "[2]", "[4]", "[6]", "[8]", "[10]", "[12]");
      served.stop();
    }
    Map<String, Long> effects =
        Files.readAllLines(directory.resolve("effects")).stream()
            .collect(Collectors.groupingBy(it -> it, TreeMap::new, Collectors.counting()));
    assertThat(effects)
        .isEqualTo(Map.of("0", 1L, "1", 1L, "2", 2L, "3", 1L, "4", 2L, "5", 1L, "6", 1L));
  }

  private static List<String> answers(ServiceQueues queues) {
    List<UUID> ids = new ArrayList<>();
    try (Tailer tailer = queues.out().tailer(0)) {
      Awaitility.await()
          .until(() -> {
            tailer.poll(
                100,
                (position, message) -> ids.add(Message.peek("out", 0, position, message).id()));
            return ids.size() > CHUNKS;
          });
    }
    try (ResultReceiver<ChunkCalls> receiver =
        new ResultReceiver<>(QueuedService.CALLS, queues.out(), Duration.ofHours(1))) {
      Map<UUID, PendingResult<ChunkCalls.Answer>> answers =
          receiver.find(ids, ChunkCalls.Answer.class);
      return ids.stream().map(id -> text(answers.get(id).join())).toList();
    }
  }

  private static String text(ChunkCalls.Answer answer) {
    try {
      return NUMBERS.readReplies(answer.replies()).stream()
          .map(it -> ((Reply.Result<Integer>) it).value())
          .toList()
          .toString();
    } catch (TransportFailed e) {
      throw new AssertionError(e);
    }
  }
}
