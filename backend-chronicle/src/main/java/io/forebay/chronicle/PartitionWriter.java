/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.CycleFiles;
import io.forebay.chronicle.file.FrameStore;
import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.chronicle.file.Tail;
import io.forebay.chronicle.ring.PartitionRing;
import io.forebay.chronicle.ring.RingRecovery;
import io.forebay.chronicle.ring.RingSettings;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the messages of one partition to its file: at once, or through a ring, from which they are
 * moved to the file. After a failed write it finds out what is in the file, and opens Chronicle's
 * appender again.
 *
 * <p>Methods that take messages are guarded by the lock of the partition; the rest is thread-safe.
 */
final class PartitionWriter implements RingRecovery.Sink {

  private static final Logger LOG = LoggerFactory.getLogger(PartitionWriter.class);
  private static final long ROOM_NANOS = 50_000;
  private static final Duration RETRY = Duration.ofMillis(1);

  private final String name;
  private final FrameStore store;
  private final Health health;

  /** With a ring, guards the appender and the end of the ring that frames are taken from. */
  private final ReentrantLock lock = new ReentrantLock();

  private final AtomicLong stored = new AtomicLong(Long.MAX_VALUE);
  private volatile int cycle = CycleFiles.NO_CYCLE;
  private volatile boolean failed;
  private @Nullable FrameWriter appender;

  /** Does not change once the partition is open. */
  private @Nullable PartitionRing ring;

  PartitionWriter(String name, FrameStore store, Health health) {
    this.name = name;
    this.store = store;
    this.health = health;
  }

  /**
   * Opens after an end that is sound or can be repaired. Writes to the file what a former process
   * left in its ring, and opens a new ring if wanted.
   *
   * @param setAside whether an operator had damage set aside in this start
   * @return the number of the next message
   */
  long open(Tail tail, PartitionRing.Owner owner, @Nullable RingSettings rings, boolean setAside)
      throws IOException {
    begin(tail);
    RingRecovery.Outcome outcome = new RingRecovery(owner, setAside).recover(tail.end(), this);
    stored.set(outcome.end());
    String damage = outcome.damage();
    if (damage != null) {
      health.damaged(outcome.end(), damage);
    } else if (rings != null) {
      ring = PartitionRing.create(owner, rings);
    }
    return outcome.end();
  }

  private FrameWriter begin(Tail tail) {
    FrameWriter opened = store.newWriter();
    appender = opened;
    if (!store.files().isEmpty()) {
      atNewest();
    }
    if (tail.badLast()) {
      LOG.warn(
          "{}: the last frame is damaged and was cut; the next message is {}", name, tail.end());
      opened.resume(tail.end());
      written(opened, tail.end());
    }
    return opened;
  }

  /** The file written to last; {@link CycleFiles#NO_CYCLE} if none. */
  int cycle() {
    return cycle;
  }

  /** Records that the newest file was written to. */
  void atNewest() {
    cycle = store.files().newest();
  }

  /** Everything before this message is in the file. */
  long stored() {
    return stored.get();
  }

  /** Whether nothing more will be moved until the partition is opened again. */
  boolean isFailed() {
    return failed;
  }

  /** What takes messages before they are in the file; null if they are written to it at once. */
  @Nullable PartitionRing ring() {
    return ring;
  }

  /**
   * Takes a message. One that is too large for the ring goes to the file, after those before it.
   *
   * @param forced everything before this message is forced to disk
   * @return false if there is no room in the ring
   */
  boolean take(long number, long forced, ByteBuffer message) {
    PartitionRing to = ring;
    if (to == null) {
      write(number, forced, message);
      return true;
    } else if (to.takes(message.remaining())) {
      return to.offer(number, forced, message);
    }
    lock.lock();
    try {
      boolean drained = drain(number);
      if (drained) {
        write(number, forced, message);
      }
      return drained;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits a moment for room in the ring.
   *
   * @throws QueueRefused if messages are refused while it is full
   */
  void awaitRoom() {
    PartitionRing to = ring;
    if (to != null && (!to.blocks() || Thread.currentThread().isInterrupted())) {
      long used = to.stats().usedBytes();
      long capacity = to.stats().capacityBytes();
      throw new QueueRefused(
          QueueRefused.Reason.FULL,
          (double) used / capacity,
          RETRY,
          "%s refuses a message: its ring is full (bytes=%,d, limit=%,d); nothing was written; append again when the disk has caught up"
              .formatted(name, used, capacity));
    }
    Machine.park(ROOM_NANOS);
  }

  /** Leaves a gap between the end and the number of the next message. */
  void skip(long end, long number) {
    lock.lock();
    try {
      if (!drain(end)) {
        throw new QueueFailed(
            "%s cannot resume at position %,d: the messages in its ring cannot be written"
                .formatted(name, number),
            null);
      }
      resume(end, number);
      stored.set(number);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves the messages before {@code end} to the file.
   *
   * @return whether they all are there; if not, the disk is full, or {@link #isFailed()}
   */
  boolean drain(long end) {
    PartitionRing from = ring;
    if (from == null || stored.get() >= end) {
      return true;
    }
    lock.lock();
    try {
      from.measure();
      while (stored.get() < end) {
        if (failed || !move(from)) {
          return false;
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean move(PartitionRing from) {
    long number = stored.get();
    StoredFrame oldest = from.oldest();
    if (oldest == null || oldest.number() != number) {
      failed = true;
      health.damaged(number, "a damaged frame in its ring");
      return false;
    }
    try {
      write(oldest);
    } catch (QueueRefused e) {
      failed = e.reason() != QueueRefused.Reason.DISK;
      return false;
    } catch (QueueFailed e) {
      failed = true;
      return false;
    }
    stored.setRelease(number + 1);
    from.release();
    return true;
  }

  /** Writes a message to the file; returns normally if it is there. */
  private void write(long number, long forced, ByteBuffer message) {
    FrameWriter open = opened(number);
    try {
      open.message(number, forced, message);
      written(open, number);
    } catch (RuntimeException | Error e) {
      afterFailedWrite(number, e);
    }
    stored.setRelease(number + 1);
  }

  @Override
  public void write(StoredFrame frame) {
    long number = frame.number();
    FrameWriter open = opened(number);
    try {
      open.write(frame);
      written(open, number);
    } catch (RuntimeException | Error e) {
      afterFailedWrite(number, e);
    }
  }

  @Override
  public void resume(long end, long number) {
    FrameWriter open = opened(end);
    try {
      open.resume(number);
      written(open, number);
    } catch (RuntimeException | Error e) {
      throw health.failed("the gap up to message %,d was not written".formatted(number), e);
    }
  }

  private FrameWriter opened(long end) {
    FrameWriter open = appender;
    return open == null ? reopen(end) : open;
  }

  /** Opens the appender again after a failed append. */
  private FrameWriter reopen(long end) {
    Tail tail;
    try {
      tail = store.examineFrom(end);
      if (tail.damage() == null && tail.end() == end) {
        return begin(tail);
      }
    } catch (InternalError e) {
      closeAppender();
      throw health.diskFull();
    } catch (IOException | RuntimeException | Error e) {
      throw health.refusedForGood("it cannot be reopened for appending", e);
    }
    throw health.damaged(
        end, tail.damage() == null ? "a message that was reported as not written" : tail.damage());
  }

  private void written(FrameWriter by, long number) {
    written(store.files().cycleOfIndex(by.index()), number);
  }

  private void written(int now, long number) {
    if (now != cycle) {
      try {
        store.files().began(now, number);
      } catch (IOException e) {
        LOG.warn(
            "{}: the permissions of a new file cannot be set; its directory is protected", name, e);
      }
      cycle = now;
    }
  }

  /**
   * Finds out whether a message was written although the append threw, which happens when the disk
   * is full. Returns normally if it was written.
   */
  private void afterFailedWrite(long number, Throwable cause) {
    Tail tail;
    try {
      closeAppender();
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
      written(store.files().cycleOf(number), number);
    } else if (cause instanceof InternalError) {
      throw health.diskFull();
    } else {
      throw health.refusedForGood("message %,d was not written".formatted(number), cause);
    }
  }

  private void closeAppender() {
    FrameWriter open = appender;
    appender = null;
    if (open != null) {
      open.close();
    }
  }

  /** Closes the ring and the file; nothing is appended any more. */
  void close(long end) {
    boolean drained = drain(end);
    lock.lock();
    try {
      failed = true;
      if (ring != null) {
        ring.close(drained);
      }
      closeAppender();
    } finally {
      lock.unlock();
    }
  }
}
