/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.StoredFrame;
import io.forebay.chronicle.ring.PartitionRing;
import io.forebay.chronicle.ring.Ring;
import io.forebay.chronicle.ring.RingReader;
import io.forebay.chronicle.ring.RingRecovery;
import io.forebay.chronicle.ring.RingSettings;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Takes the messages of one partition: to its file at once, or to a ring from which they are moved
 * to the file. Thread-safe, except where a lock is named.
 */
final class Intake {

  private static final long ROOM_NANOS = 50_000;
  private static final Duration RETRY = Duration.ofMillis(1);

  private final String name;
  private final PartitionWriter writer;
  private final Health health;

  /** Null if messages go to the file at once; written before other threads use this object. */
  private @Nullable PartitionRing file;

  private @Nullable Ring ring;

  /** With a ring, guards the writer and the end of the ring that frames are taken from. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock of the partition. */
  private final StoredFrame frame = new StoredFrame();

  /** Guarded by the lock. */
  private final StoredFrame oldest = new StoredFrame();

  private final AtomicLong stored = new AtomicLong(Long.MAX_VALUE);
  private volatile boolean failed;

  Intake(String name, PartitionWriter writer, Health health) {
    this.name = name;
    this.writer = writer;
    this.health = health;
  }

  /**
   * Writes to the file what a former process left in its ring, and opens a new ring if wanted.
   *
   * @param setAside whether an operator had damage set aside in this start
   * @param end where the file ends
   * @return the number of the next message
   */
  long open(PartitionRing.Owner owner, @Nullable RingSettings rings, boolean setAside, long end)
      throws IOException {
    RingRecovery.Outcome outcome = new RingRecovery(owner, setAside).recover(end, writer);
    stored.set(outcome.end());
    String damage = outcome.damage();
    if (damage != null) {
      health.damaged(outcome.end(), damage);
    } else if (rings != null) {
      PartitionRing created = PartitionRing.create(owner, rings);
      file = created;
      ring = created.ring();
    }
    return outcome.end();
  }

  /** Everything before this message is in the file. */
  long stored() {
    return stored.get();
  }

  /** Whether nothing more will be moved until the partition is opened again. */
  boolean isFailed() {
    return failed;
  }

  boolean isRingHalfFull() {
    return ring != null && ring.isHalfFull();
  }

  /** Reads messages that are not in the file yet; null if there is no ring. */
  @Nullable RingReader newRingReader() {
    return ring == null ? null : new RingReader(ring);
  }

  long ringBytes() {
    return ring == null ? 0 : ring.used();
  }

  Storage.@Nullable Ring ringStats() {
    return ring == null ? null : ring.stats();
  }

  /**
   * Takes a message; guarded by the lock of the partition. One that is too large for the ring goes
   * to the file, after those before it.
   *
   * @return false if there is no room in the ring
   */
  boolean take(long number, long forced, ByteBuffer message) {
    frame.message(number, forced, message);
    Ring to = ring;
    if (to == null) {
      write(frame);
      return true;
    }
    return to.takes(frame) ? to.offer(frame) : passBy(frame);
  }

  private boolean passBy(StoredFrame frame) {
    lock.lock();
    try {
      if (!drain(frame.number())) {
        return false;
      }
      write(frame);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void write(StoredFrame frame) {
    writer.write(frame);
    stored.setRelease(frame.number() + 1);
  }

  /**
   * Waits a moment for room in the ring.
   *
   * @throws QueueRefused if the thread is interrupted
   */
  void awaitRoom() {
    Ring to = ring;
    if (to != null && Thread.currentThread().isInterrupted()) {
      throw full(to.stats());
    }
    Machine.park(ROOM_NANOS);
  }

  private QueueRefused full(Storage.Ring now) {
    return new QueueRefused(
        QueueRefused.Reason.FULL,
        (double) now.usedBytes() / now.capacityBytes(),
        RETRY,
        "%s refuses a message: its ring is full (bytes=%,d, limit=%,d); nothing was written; append again when the disk has caught up"
            .formatted(name, now.usedBytes(), now.capacityBytes()));
  }

  /** Writes a gap; guarded by the lock of the partition. */
  void resume(long end, long number) {
    lock.lock();
    try {
      if (!drain(end)) {
        throw new QueueFailed(
            "%s cannot resume at position %,d: the messages in its ring cannot be written"
                .formatted(name, number),
            null);
      }
      writer.resume(end, number);
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
    Ring from = ring;
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

  private boolean move(Ring from) {
    long number = stored.get();
    if (!from.peek(oldest) || oldest.number() != number) {
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
    from.release();
    return true;
  }

  /** Closes the ring; nothing is appended any more. */
  void close(long end) {
    PartitionRing open = file;
    if (open == null) {
      return;
    }
    boolean drained = drain(end);
    lock.lock();
    try {
      failed = true;
      open.close(drained);
    } finally {
      lock.unlock();
    }
  }
}
