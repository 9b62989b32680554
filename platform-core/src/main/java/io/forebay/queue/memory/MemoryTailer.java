/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.MessageHandler;
import io.forebay.queue.Tailer;

/** Reads a partition of a memory queue. It copies each frame, so writers never wait for it. */
final class MemoryTailer implements Tailer {

  private final MemoryQueue queue;
  private final MemoryPartition partition;
  private final FrameCursor cursor;
  private volatile boolean closed;

  MemoryTailer(MemoryQueue queue, MemoryPartition partition) {
    this.queue = queue;
    this.partition = partition;
    cursor = new FrameCursor(partition.ring());
    partition.moveToFirst(cursor);
  }

  @Override
  public int partition() {
    return partition.number();
  }

  @Override
  public long position() {
    return cursor.position();
  }

  @Override
  public void seek(long position) {
    checkOpen();
    FrameCursor found = new FrameCursor(partition.ring());
    partition.locate(found, position);
    cursor.moveTo(found);
  }

  @Override
  public long end() {
    checkOpen();
    return partition.ring().nextNumber();
  }

  @Override
  public void toStart() {
    checkOpen();
    partition.moveToFirst(cursor);
  }

  @Override
  public void toEnd() {
    checkOpen();
    partition.moveToEnd(cursor);
  }

  @Override
  public int poll(int max, MessageHandler handler) {
    for (int n = 0; n < max; n++) {
      checkOpen();
      switch (cursor.load()) {
        case MESSAGE -> {
          handler.handle(cursor.position(), cursor.payload());
          cursor.advance();
        }
        case END -> {
          return n;
        }
        case FREED -> throw partition.outOfRange(cursor.position());
        case DAMAGED -> throw partition.damaged(cursor.position());
      }
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
