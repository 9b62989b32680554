/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a whole queue, all its partitions in turn, and calls a target for each message. It begins
 * with the first message that is still kept. It is no registered consumer: it holds nothing back
 * from retention. For one thread.
 *
 * @param <T> the protocol's interface
 */
public final class Reader<T> implements AutoCloseable {

  private final CallReader<T> calls;
  private final List<Tailer> tailers = new ArrayList<>();
  private int turn;

  Reader(MessageQueue queue, CallReader<T> calls) {
    this.calls = calls;
    for (int partition = 0; partition < queue.partitions(); partition++) {
      tailers.add(queue.tailer(partition));
    }
  }

  /** Goes on with what is appended from now on. */
  public void toEnd() {
    tailers.forEach(Tailer::toEnd);
  }

  /** Goes back to the first message that is still kept. */
  public void toStart() {
    tailers.forEach(Tailer::toStart);
  }

  /** Goes on with the first message at or behind a position of one partition. */
  public void seek(int partition, long position) {
    tailers.get(partition).seek(position);
  }

  /**
   * Makes the calls of up to {@code max} messages that are there; does not wait.
   *
   * @return how many messages there were
   * @throws UndecodableMessage if one cannot be decoded; it counts as unread
   * @throws QueueFailed if what is stored is damaged
   */
  public int poll(int max) {
    int count = 0;
    for (int i = 0; i < tailers.size() && count < max; i++) {
      Tailer tailer = tailers.get(turn);
      turn = (turn + 1) % tailers.size();
      count += tailer.poll(max - count, calls.handler(tailer.partition()));
    }
    return count;
  }

  @Override
  public void close() {
    tailers.forEach(Tailer::close);
  }
}
