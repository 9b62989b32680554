/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.call.UndecodableMessage;
import io.forebay.call.Writer;
import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The chunks that were handed over and not yet answered, by message id; the answer carries the same
 * id. A reply may arrive before its chunk is registered, so the sender holds the lock of this
 * object from before the append until then. Thread-safe by that lock.
 */
final class AwaitedReplies implements ChunkReplies, Appender.AcknowledgementListener {

  private final Map<UUID, Awaited> byId = new HashMap<>();
  private @Nullable TransportFailed failure;

  /** The chunk being answered; used by the thread that reads replies. */
  private @Nullable Awaited answered;

  /** The future of a reply. */
  static final class Awaited extends CompletableFuture<byte[]> {
    private final UUID id;
    private final long ticket;
    private final int partition;
    private final long position;

    Awaited(Writer<?> writer) {
      id = writer.lastId();
      ticket = writer.lastTicket();
      partition = writer.lastPartition();
      position = writer.lastPosition();
    }
  }

  /**
   * Expects the reply to the last message of the writer. The caller must hold the lock since before
   * it appended the chunk.
   */
  Awaited expect(Writer<?> writer) {
    Awaited awaited = new Awaited(writer);
    if (failure == null) {
      byId.put(awaited.id, awaited);
    } else {
      awaited.completeExceptionally(failure);
    }
    return awaited;
  }

  synchronized int size() {
    return byId.size();
  }

  synchronized void forget(Awaited awaited) {
    byId.remove(awaited.id);
  }

  /**
   * Begins a reply: what follows until {@link #end} answers this message.
   *
   * @return false if nobody waits for it
   */
  synchronized boolean begin(UUID id) {
    answered = byId.remove(id);
    return answered != null;
  }

  @Override
  public void replied(byte[] replies) {
    if (answered != null) {
      answered.complete(replies);
    }
  }

  @Override
  public void failed(String code, String message) {
    if (answered != null) {
      try {
        answered.completeExceptionally(new ServiceFailed(code, message));
      } catch (IllegalArgumentException e) {
        answered.completeExceptionally(
            TransportFailed.unknown("the service failed the chunk without a code", e));
      }
    }
  }

  void undecodable(UndecodableMessage e) {
    if (answered != null) {
      answered.completeExceptionally(TransportFailed.unknown("the reply cannot be decoded", e));
    }
  }

  /** Ends a reply. A message without a reply means that the service could not decode the chunk. */
  void end() {
    if (answered != null) {
      answered.completeExceptionally(
          TransportFailed.notPerformed("the service could not decode the chunk", null));
      answered = null;
    }
  }

  @Override
  public void acknowledged(int partition, long ticket, long position) {}

  @Override
  public void failed(long first, long last, QueueFailed cause) {
    fail(
        it -> first <= it.ticket && it.ticket <= last,
        TransportFailed.unknown("the queue failed before it accepted the chunk", cause));
  }

  /**
   * Fails the chunks whose replies were deleted before they were read. A queue that reports
   * positions only later keeps replies far longer than anybody waits.
   */
  void missedBefore(int partition, long source) {
    fail(
        it -> it.partition == partition && it.position >= 0 && it.position < source,
        TransportFailed.unknown(
            "the reply was deleted from the out-queue before it was read (the first reply kept answers position %,d of partition %d)"
                .formatted(source, partition),
            null));
  }

  private void fail(Predicate<Awaited> which, TransportFailed reason) {
    List<Awaited> failed;
    synchronized (this) {
      failed = byId.values().stream().filter(which).toList();
      byId.values().removeAll(failed);
    }
    failed.forEach(it -> it.completeExceptionally(reason));
  }

  /** Fails all waiting chunks: no more replies will come. */
  void failAll(TransportFailed reason) {
    List<Awaited> failed;
    synchronized (this) {
      failure = reason;
      failed = new ArrayList<>(byId.values());
      byId.clear();
    }
    failed.forEach(it -> it.completeExceptionally(reason));
  }
}
