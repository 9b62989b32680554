/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads all partitions of a queue in turn and calls a target for each message. It begins with the
 * first message kept. It is not a registered consumer, so retention ignores it. Not thread-safe.
 *
 * @param <T> the protocol's interface
 */
public final class Reader<T> implements AutoCloseable {

  private final String queue;
  private final CallReader<T> calls;
  private final MessageHandler[] handlers;
  private final List<Tailer> tailers = new ArrayList<>();
  private int turn;

  Reader(MessageQueue queue, CallReader<T> calls) {
    this.queue = queue.name();
    this.calls = calls;
    this.handlers = new MessageHandler[queue.partitions()];
    for (int partition = 0; partition < queue.partitions(); partition++) {
      tailers.add(queue.tailer(partition));
      begin(partition);
    }
  }

  private void begin(int partition) {
    handlers[partition] = AnswerRun.singly(queue, partition, calls.handler(partition));
  }

  /** Moves to the first message kept. */
  public void toStart() {
    tailers.forEach(tailer -> {
      tailer.toStart();
      begin(tailer.partition());
    });
  }

  /** Moves to the first message at or after a position of one partition. */
  public void seek(int partition, long position) {
    tailers.get(partition).seek(position);
    begin(partition);
  }

  /**
   * Makes the calls of up to {@code max} available messages; does not wait. A message that answers
   * several messages makes the calls of each answer.
   *
   * @return how many messages were read
   * @throws UndecodableMessage if one cannot be decoded; it counts as unread, and {@link #seek} to
   *     the position behind it passes it
   * @throws io.forebay.queue.QueueFailed if a stored message is damaged
   */
  public int poll(int max) {
    int count = 0;
    for (int i = 0; i < tailers.size() && count < max; i++) {
      Tailer tailer = tailers.get(turn);
      turn = (turn + 1) % tailers.size();
      count += tailer.poll(max - count, handlers[tailer.partition()]);
    }
    return count;
  }

  @Override
  public void close() {
    tailers.forEach(Tailer::close);
  }
}
