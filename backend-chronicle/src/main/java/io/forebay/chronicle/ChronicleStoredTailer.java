/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.FrameFile;
import io.forebay.chronicle.file.FrameReader;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;

/**
 * Reads the files of one partition while another process may append to them and delete them. It
 * skips damage.
 */
final class ChronicleStoredTailer implements Tailer {

  private final String queue;
  private final int partition;
  private final FrameReader reader;
  private long position;
  private long end;

  ChronicleStoredTailer(String queue, int partition, FrameReader reader) {
    this.queue = queue;
    this.partition = partition;
    this.reader = reader;
    toStart();
  }

  @Override
  public int partition() {
    return partition;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public long end() {
    end = reader.end();
    return end;
  }

  @Override
  public void seek(long wanted) {
    long first = reader.first(0);
    if (wanted < first || wanted > end()) {
      throw new PositionOutOfRange(queue, partition, wanted, first, end);
    }
    moveTo(wanted);
  }

  private void moveTo(long wanted) {
    reader.seek(wanted);
    position = wanted;
  }

  @Override
  public void toStart() {
    reader.toStart();
    position = reader.first(0);
  }

  @Override
  public void toEnd() {
    moveTo(end());
  }

  @Override
  public int poll(int max, MessageHandler handler) {
    int count = 0;
    while (count < max) {
      int kind = reader.next();
      if (kind == StoredFrame.MESSAGE) {
        count += handle(handler);
      } else if (kind == FrameFile.NOTHING && reader.expected() >= end || !reader.skipDamage()) {
        break;
      }
    }
    position = Math.max(position, reader.expected());
    return count;
  }

  /** Handles the message that was read; a search may begin before its position. */
  private int handle(MessageHandler handler) {
    if (reader.number() < position) {
      return 0;
    }
    try {
      handler.handle(reader.number(), reader.payload());
    } catch (Throwable e) {
      reader.unread();
      throw e;
    }
    position = reader.expected();
    return 1;
  }

  @Override
  public void close() {
    reader.close();
  }
}
