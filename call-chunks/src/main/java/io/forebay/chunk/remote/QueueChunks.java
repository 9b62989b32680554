/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.call.CallFailure;
import io.forebay.call.CallGivenUp;
import io.forebay.call.Writer;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.Reply;
import io.forebay.hosting.ResultReceiver;
import io.forebay.hosting.ServiceQueues;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueRefused;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends each chunk as one message to a service between two queues, and waits for the message that
 * answers it. A dedicated thread reads the out-queue.
 *
 * <p>If the queue refuses a chunk and gives a retry time, the chunk is handed over again within its
 * time limit; nothing was performed then. Once accepted, a chunk is performed even if nobody waits
 * any more: a time-out or an interrupt only ends the wait, and the late reply is dropped, as are
 * replies to chunks of an earlier process.
 *
 * <p>If the service fails a chunk, the caller gets a {@link ServiceFailed}; every other failure is
 * a {@link TransportFailed}. It blocks the chunk's thread. Thread-safe.
 */
public final class QueueChunks<A, R extends @Nullable Object>
    implements ChunkFunction<A, R>, AutoCloseable {

  private final ServiceQueues queues;
  private final ChunkCodec<A, R> codec;
  private final Duration timeout;
  private final ResultReceiver<ChunkCalls> receiver;
  private final Writer<ChunkCalls> writer;

  private QueueChunks(ServiceQueues queues, ChunkCodec<A, R> codec, Duration timeout) {
    this.queues = queues;
    this.codec = codec;
    this.timeout = timeout;
    receiver = new ResultReceiver<>(QueuedService.CALLS, queues.out(), timeout);
    writer = QueuedService.CALLS.writer(queues.in(), receiver.pending());
  }

  /** Awaits each chunk for at most 30 s. */
  public static <A, R extends @Nullable Object> QueueChunks<A, R> to(
      ServiceQueues queues, ChunkCodec<A, R> codec) {
    return to(queues, codec, Duration.ofSeconds(30));
  }

  /**
   * @param queues stay open when this is closed
   * @param timeout how long a chunk is retried and awaited, unless its collector gives up earlier
   */
  public static <A, R extends @Nullable Object> QueueChunks<A, R> to(
      ServiceQueues queues, ChunkCodec<A, R> codec, Duration timeout) {
    return new QueueChunks<>(queues, codec, timeout);
  }

  @Override
  public CompletionStage<List<Reply<R>>> perform(List<A> arguments)
      throws TransportFailed, InterruptedException {
    byte[] body = codec.writeArguments(arguments);
    long until = Machine.nanos() + timeout.toNanos();
    CompletableFuture<ChunkCalls.Answer> answer = handOver(body, until);
    try {
      return CompletableFuture.completedFuture(codec.readReplies(await(answer, until)));
    } finally {
      answer.cancel(false);
    }
  }

  private CompletableFuture<ChunkCalls.Answer> handOver(byte[] body, long until)
      throws TransportFailed, InterruptedException {
    while (true) {
      try {
        synchronized (writer) {
          return writer.traced(ChunkFunction.trace()).calls().perform(body);
        }
      } catch (QueueRefused e) {
        Duration pause = e.retryAfter();
        if (pause.isZero() || pause.toNanos() >= until - Machine.nanos()) {
          throw TransportFailed.notPerformed(refused(e, body.length), e);
        }
        Machine.sleep(pause);
      } catch (IllegalStateException e) {
        throw TransportFailed.notPerformed(
            "the client of %s is closed".formatted(queues.out().name()), e);
      }
    }
  }

  private String refused(QueueRefused e, int bytes) {
    return "queue %s refused the chunk (reason=%s, bytes=%,d, retryAfter=%s): %s"
        .formatted(
            queues.in().name(),
            e.reason(),
            bytes,
            Formats.duration(e.retryAfter()),
            e.getMessage());
  }

  private byte[] await(CompletableFuture<ChunkCalls.Answer> awaited, long until)
      throws TransportFailed, InterruptedException {
    try {
      ChunkCalls.Answer answer = Machine.get(awaited, Duration.ofNanos(until - Machine.nanos()));
      if (answer.replies() == null) {
        throw failed(answer);
      }
      return answer.replies();
    } catch (TimeoutException e) {
      throw TransportFailed.unknown(
          "service %s did not answer within timeout=%s; a late reply is dropped"
              .formatted(queues.name(), Formats.duration(timeout)),
          e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallGivenUp givenUp
          && givenUp.failure().error().equals(CallFailure.UNDECODABLE)) {
        throw TransportFailed.notPerformed("the service could not decode the chunk", givenUp);
      }
      throw TransportFailed.unknown("the reply cannot be received", e.getCause());
    }
  }

  private static ServiceFailed failed(ChunkCalls.Answer answer) throws TransportFailed {
    try {
      return new ServiceFailed(String.valueOf(answer.code()), String.valueOf(answer.text()));
    } catch (IllegalArgumentException e) {
      throw TransportFailed.unknown("the service failed the chunk without a code", e);
    }
  }

  /** How many chunks wait for their replies. */
  public int outstanding() {
    return receiver.pending().size();
  }

  /** Stops reading replies; outstanding chunks fail. */
  @Override
  public void close() {
    receiver.close();
    synchronized (writer) {
      writer.close();
    }
  }
}
