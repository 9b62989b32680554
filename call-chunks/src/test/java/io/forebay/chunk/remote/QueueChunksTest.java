/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.NoEvents;
import io.forebay.call.Protocol;
import io.forebay.call.ResultUnknown;
import io.forebay.call.Writer;
import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.Reply;
import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.Appender;
import io.forebay.queue.ErrorsInThreads;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import io.forebay.service.progress.HostedProgress;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.TraceParent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chunks over queues: behaviour that only queues have. */
@Timeout(600)
class QueueChunksTest {

  private static final ChunkCodec<String, String> TEXTS = ChunkCodec.of(String.class, String.class);
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final MemoryBackend backend = MemoryBackend.open(4 << 20, InstantSource.system());
  private final AtomicInteger performed = new AtomicInteger();
  private final CountDownLatch held = new CountDownLatch(1);
  private final ListService<String, String> service =
      ListService.inOrder(
          "texts",
          TEXTS,
          texts -> {
            performed.incrementAndGet();
            if (texts.contains("deep")) {
              throw new StackOverflowError();
            }
            if (texts.contains("broken")) {
              throw new NoClassDefFoundError("broken");
            }
            if (texts.contains("wait")) {
              held.await();
            }
            return texts.stream()
                .map(text -> text.startsWith("much") ? "x".repeat(2 << 20) : text.toUpperCase())
                .toList();
          });
  private ServiceQueues queues;
  private QueuedService served;
  private QueueChunks<String, String> chunks;
  private ExecutorService callers;

  @BeforeEach
  void open() {
    queues = ServiceQueues.open(backend, "texts", 1);
    served = new QueuedService(service, queues);
    chunks = QueueChunks.to(queues, TEXTS, PATIENCE);
    callers = Executors.newVirtualThreadPerTaskExecutor();
  }

  @AfterEach
  void close() {
    held.countDown();
    chunks.close();
    served.stop();
    queues.close();
    backend.close();
    callers.close();
  }

  private static List<String> results(List<Reply<String>> replies) {
    return replies.stream().map(it -> ((Reply.Result<String>) it).value()).toList();
  }

  private List<String> call(String... texts) throws Exception {
    return results(chunks.perform(List.of(texts)).toCompletableFuture().get());
  }

  private Future<List<String>> later(String... texts) {
    return callers.submit(() -> call(texts));
  }

  private static Throwable failure(Future<?> future) throws Exception {
    try {
      throw new AssertionError("it has a result: " + future.get(120, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  @Test
  void aChunkSentWhileTheServiceWasDownIsAnsweredAfterItsStart() throws Exception {
    Future<List<String>> early = later("a", "b");
    await().until(() -> queues.in().stats(0).end().orElse(0) == 1);
    served.start();
    assertThat(early.get()).containsExactly("A", "B");
    served.stop();
    Future<List<String>> between = later("c");
    await().until(() -> queues.in().stats(0).end().orElse(0) == 2);
    assertThat(between.isDone()).isFalse();
    served.start();
    assertThat(between.get()).containsExactly("C");
    assertThat(performed).as("no chunk was performed again").hasValue(2);
  }

  @Test
  void aChunkHasASpanBelowThatOfItsFirstTracedCall() throws Exception {
    try (RecordedSpans spans = new RecordedSpans();
        CallCollector collector = new CallCollector(spans.tracing())) {
      served = new QueuedService(service, queues, HostedProgress.none(), spans.tracing());
      served.start();
      ChunkedService<String, String> texts =
          collector.service("texts", chunks, ChunkOptions.defaults());
      Callable<TraceParent> traced = () -> spans.in("caller", () -> texts.call("b"));
      Callable<@Nullable TraceParent> untraced =
          () -> {
            texts.call("a");
            return null;
          };
      List<Future<@Nullable TraceParent>> bodies = collector.startAll(List.of(untraced, traced));
      TraceParent caller = bodies.getLast().get();
      assertThat(performed).as("both in one chunk").hasValue(1);
      assertThat(collector.startAll(List.of(untraced)).getFirst().get()).isNull();
      assertThat(spans.named("process texts.in"))
          .singleElement()
          .matches(RecordedSpans.childOf(caller));
    }
  }

  /** Lets the test disturb the thread that reads the replies. */
  private ErrorsInThreads disturbed() {
    chunks.close();
    queues.close();
    ErrorsInThreads errors = new ErrorsInThreads("forebay-texts.out-results");
    queues = ServiceQueues.open(errors.over(backend), "texts", 1);
    served = new QueuedService(service, queues);
    chunks = QueueChunks.to(queues, TEXTS, PATIENCE);
    return errors;
  }

  @Test
  void anErrorWhileRepliesAreReadDelaysThem() throws Exception {
    ErrorsInThreads errors = disturbed();
    Future<List<String>> waiting = later("a");
    await().until(() -> queues.in().stats(0).end().orElse(0) == 1);
    errors.next(new NoClassDefFoundError("for a test"));
    await().until(errors::isThrown);
    served.start();
    assertThat(waiting.get()).containsExactly("A");
  }

  @Test
  void aChunkWhoseReplyWasDeletedBeforeItWasReadFails() throws Exception {
    ErrorsInThreads errors = disturbed();
    served.start();
    errors.hold(held);
    List<Future<List<String>>> waiting = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int performedBefore = i;
      waiting.add(later("x".repeat(900_000)));
      await().until(() -> served.position(0) > performedBefore);
    }
    held.countDown();
    assertThat(failure(waiting.getFirst()))
        .isInstanceOfSatisfying(
            TransportFailed.class, it -> assertThat(it.maybePerformed()).isTrue())
        .hasStackTraceContaining("answers were deleted before they were read");
    assertThat(call("a")).containsExactly("A");
    assertThat(chunks.outstanding()).isZero();
  }

  @Test
  void aReplyWithoutAWaitingCallerIsIgnored() throws Exception {
    served.start();
    try (Writer<ChunkCalls> stranger = QueuedService.CALLS.writer(queues.in())) {
      stranger.calls().perform("[\"stranger\"]".getBytes());
      stranger.calls().perform("nonsense".getBytes());
    }
    assertThat(call("a")).containsExactly("A");
    assertThat(performed).hasValue(2);
  }

  @Test
  void undecodableMessagesFailOnlyTheirChunk() throws Exception {
    served.start();
    assertThat(call("first")).containsExactly("FIRST");
    try (Appender appender = queues.out().appender()) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    try (Appender appender = queues.in().appender()) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    assertThat(call("a")).containsExactly("A");
    assertThat(served.view().counts().deadLetters()).isEqualTo(1);
    assertThat(served.state().phase()).isEqualTo(ServiceState.Phase.RUNNING);
  }

  interface Other {
    void other();
  }

  @Test
  void aChunkThatTheServiceCannotDecodeIsNotPerformed() {
    Service<Other, NoEvents> other =
        new Service<>(
            "texts",
            new Service.End<>(queues.in(), Protocol.of(Other.class)),
            new Service.End<>(queues.out(), Protocol.of(NoEvents.class)),
            (_, _) -> () -> {},
            ServiceOptions.defaults(),
            HostedProgress.none(),
            null);
    other.start();
    assertThatExceptionOfType(TransportFailed.class)
        .isThrownBy(() -> call("a"))
        .satisfies(it -> assertThat(it.maybePerformed()).isFalse())
        .withMessageContaining("the service could not decode the chunk; nothing was performed");
    other.stop();
  }

  @Test
  void aChunkAboveTheMaximumMessageSizeIsNotHandedOver() throws Exception {
    served.start();
    assertThatExceptionOfType(TransportFailed.class)
        .isThrownBy(() -> call("x".repeat(1 << 20)))
        .satisfies(it -> assertThat(it.maybePerformed()).isFalse())
        .withMessageContaining("reason=TOO_LARGE")
        .withMessageContaining("bytes=1,048,580");
    assertThat(call("a")).containsExactly("A");
  }

  @Test
  void repliesAboveTheMaximumMessageSizeFailTheChunkWithACode() throws Exception {
    served.start();
    assertThatExceptionOfType(ServiceFailed.class)
        .isThrownBy(() -> call("much"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ServiceFailed.REPLY_TOO_LARGE))
        .withMessageContaining("the chunk was performed");
    assertThat(call("a")).containsExactly("A");
    assertThat(performed).hasValue(2);
  }

  @Test
  void anErrorOfTheServiceFailsOnlyItsChunk() throws Exception {
    served.start();
    for (String error : List.of("deep", "broken")) {
      assertThatExceptionOfType(ServiceFailed.class)
          .isThrownBy(() -> call(error))
          .satisfies(it -> assertThat(it.code()).isEqualTo(ServiceFailed.INTERNAL_ERROR));
    }
    assertThat(call("a")).containsExactly("A");
    assertThat(performed).hasValue(3);
  }

  private void fill() {
    served.start(); // to make room
    served.stop();
    try (Writer<ChunkCalls> writer = QueuedService.CALLS.writer(queues.in())) {
      for (int padding : new int[] {400_000, 0}) {
        assertThatThrownBy(
                () -> {
                  while (true) {
                    writer.calls().perform(("[]" + " ".repeat(padding)).getBytes());
                  }
                })
            .isInstanceOf(QueueRefused.class);
      }
    }
  }

  @Test
  void aChunkRefusedByAFullQueueIsHandedOverWhenThereIsRoom() throws Exception {
    fill();
    Future<List<String>> refused = later("a");
    await().until(() -> QueuedService.CALLS.refused() > 1);
    served.start();
    assertThat(refused.get()).containsExactly("A");
  }

  @Test
  void aChunkThatIsRefusedForItsWholeTimeFailsWithTheReason() {
    fill();
    try (QueueChunks<String, String> hasty = QueueChunks.to(queues, TEXTS, Duration.ofMillis(50))) {
      assertThatExceptionOfType(TransportFailed.class)
          .isThrownBy(() -> hasty.perform(List.of("a")))
          .satisfies(it -> assertThat(it.maybePerformed()).isFalse())
          .withMessageContaining("reason=FULL")
          .withMessageContaining("retryAfter=1 s")
          .withCauseInstanceOf(QueueRefused.class);
    }
  }

  @Test
  void closingFailsOutstandingAndLaterChunks() throws Exception {
    served.start();
    Future<List<String>> outstanding = later("wait");
    await().until(() -> performed.get() == 1);
    chunks.close();
    assertThat(failure(outstanding))
        .isInstanceOfSatisfying(
            TransportFailed.class, it -> assertThat(it.maybePerformed()).isTrue())
        .hasRootCauseInstanceOf(ResultUnknown.class)
        .hasStackTraceContaining("this service was closed");
    assertThatThrownBy(() -> call("a"))
        .isInstanceOfSatisfying(
            TransportFailed.class, it -> assertThat(it.maybePerformed()).isFalse());
    chunks.close();
  }
}
