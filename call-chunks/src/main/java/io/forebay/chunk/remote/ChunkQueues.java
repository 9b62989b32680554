/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.call.Protocol;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import java.time.Duration;

/**
 * The two queues of a service for chunks, {@code <name>.in} and {@code <name>.out}. A process opens
 * them once and shares them between the service and its callers. Thread-safe.
 */
public final class ChunkQueues implements AutoCloseable {

  static final Protocol<ChunkCalls> CALLS = Protocol.of(ChunkCalls.class);
  static final Protocol<ChunkReplies> REPLIES = Protocol.of(ChunkReplies.class);

  private static final Duration KEPT = Duration.ofHours(72);

  private final String name;
  private final MessageQueue in;
  private final MessageQueue out;

  private ChunkQueues(String name, MessageQueue in, MessageQueue out) {
    this.name = name;
    this.in = in;
    this.out = out;
  }

  /**
   * Opens the queues and creates them if they do not exist. Replies are kept for 72 h, like
   * answers.
   *
   * @throws IllegalStateException if one has another number of partitions or is already open
   */
  public static ChunkQueues open(QueueBackend backend, String name, int partitions) {
    MessageQueue in = backend.open(name + ".in", partitions);
    try {
      return new ChunkQueues(name, in, backend.open(name + ".out", partitions, KEPT));
    } catch (RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /** The name of the service. */
  public String name() {
    return name;
  }

  /** The in-queue, which accepts chunks. */
  public MessageQueue in() {
    return in;
  }

  /** The out-queue, which keeps replies. */
  public MessageQueue out() {
    return out;
  }

  @Override
  public void close() {
    try (out) {
      in.close();
    }
  }
}
