/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.CycleFiles;
import io.forebay.chronicle.file.FrameStore;
import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.LogEnd;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.chronicle.ring.RingRecovery;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the frames of one partition. After a failed write it finds out what is in the file, and
 * opens Chronicle's appender again. Guarded by the lock of the partition, or that of its {@link
 * Intake}, except {@link #cycle()}.
 */
final class PartitionWriter implements RingRecovery.Sink, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PartitionWriter.class);

  private final String name;
  private final FrameStore store;
  private final Health health;
  private @Nullable FrameWriter writer;
  private volatile int cycle = CycleFiles.NO_CYCLE;

  PartitionWriter(String name, FrameStore store, Health health) {
    this.name = name;
    this.store = store;
    this.health = health;
  }

  /** The file written to last; {@link CycleFiles#NO_CYCLE} if none. */
  int cycle() {
    return cycle;
  }

  /** Records that the newest file was written to. */
  void atNewest() {
    cycle = store.files().newest();
  }

  /** Opens after an end that is sound or can be repaired. */
  FrameWriter begin(LogEnd tail) {
    FrameWriter opened = store.newWriter();
    writer = opened;
    cycle = tail.cycle();
    if (tail.badLast()) {
      LOG.warn(
          "{}: the last frame is damaged and was cut; the next message is {}", name, tail.end());
      opened.resume(tail.end());
      written(opened.cycle(), tail.end());
    }
    return opened;
  }

  /** Writes the frame of a message; returns normally if it is in the file. */
  @Override
  public void write(StoredFrame frame) {
    long number = frame.number();
    FrameWriter open = writer(number);
    try {
      open.write(frame);
      written(open.cycle(), number);
    } catch (RuntimeException | Error e) {
      afterFailedWrite(number, e);
    }
  }

  /**
   * Writes a gap.
   *
   * @param end where it begins
   * @param number the number of the next message
   */
  @Override
  public void resume(long end, long number) {
    FrameWriter open = writer(end);
    try {
      open.resume(number);
      written(open.cycle(), number);
    } catch (RuntimeException | Error e) {
      throw health.failed("the gap up to message %,d was not written".formatted(number), e);
    }
  }

  private FrameWriter writer(long end) {
    FrameWriter open = writer;
    return open == null ? reopen(end) : open;
  }

  /** Opens the writer again after a failed append. */
  private FrameWriter reopen(long end) {
    LogEnd tail;
    try {
      tail = store.examineFrom(end);
      if (tail.damage() == null && tail.end() == end) {
        return begin(tail);
      }
    } catch (InternalError e) {
      close();
      throw health.diskFull();
    } catch (IOException | RuntimeException | Error e) {
      throw health.refusedForGood("it cannot be reopened for appending", e);
    }
    throw health.damaged(
        end, tail.damage() == null ? "a message that was reported as not written" : tail.damage());
  }

  private void written(int now, long number) {
    if (now != cycle) {
      store.files().began(now, number);
      cycle = now;
    }
  }

  /**
   * Finds out whether a message was written although the append threw, which happens when the disk
   * is full. Returns normally if it was written.
   */
  private void afterFailedWrite(long number, Throwable cause) {
    LogEnd tail;
    try {
      close();
      tail = store.examineFrom(number);
    } catch (IOException | RuntimeException | Error e) {
      cause.addSuppressed(e);
      throw health.failed(
          "cannot determine whether message %,d was written".formatted(number), cause);
    }
    if (tail.damage() != null) {
      throw health.failed("message %,d left %s".formatted(number, tail.damage()), cause);
    }
    if (tail.end() == number + 1) {
      LOG.warn("{}: an append threw, but message {} was written", name, number, cause);
      written(tail.cycle(), number);
    } else if (cause instanceof InternalError) {
      throw health.diskFull();
    } else {
      throw health.refusedForGood("message %,d was not written".formatted(number), cause);
    }
  }

  @Override
  public void close() {
    FrameWriter open = writer;
    writer = null;
    if (open != null) {
      open.close();
    }
  }
}
