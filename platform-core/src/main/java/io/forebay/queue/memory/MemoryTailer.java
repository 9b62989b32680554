/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.MessageHandler;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.util.Map;

/** Reads a partition of a memory queue. */
final class MemoryTailer implements Tailer {

  private final MemoryQueue queue;
  private final MemoryPartition partition;
  private long position;
  private volatile boolean closed;

  MemoryTailer(MemoryQueue queue, MemoryPartition partition) {
    this.queue = queue;
    this.partition = partition;
    position = partition.first();
  }

  @Override
  public int partition() {
    return partition.number();
  }

  @Override
  public long position() {
    return partition.overGap(position);
  }

  @Override
  public void seek(long to) {
    checkOpen();
    partition.mustHave(to);
    position = to;
  }

  @Override
  public long end() {
    checkOpen();
    return partition.end();
  }

  @Override
  public void toStart() {
    checkOpen();
    position = partition.first();
  }

  @Override
  public void toEnd() {
    checkOpen();
    position = partition.end();
  }

  @Override
  public int poll(int max, MessageHandler handler) {
    for (int n = 0; n < max; n++) {
      checkOpen();
      Map.Entry<Long, byte[]> next = partition.next(position);
      if (next == null) {
        return n;
      }
      handler.handle(next.getKey(), ByteBuffer.wrap(next.getValue()).asReadOnlyBuffer());
      position = next.getKey() + 1;
    }
    return Math.max(max, 0);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "the tailer of partition %d of queue %s is closed"
              .formatted(partition.number(), queue.name()));
    }
    queue.checkOpen();
  }

  @Override
  public void close() {
    closed = true;
  }
}
