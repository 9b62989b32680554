/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.FrameReader;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.chronicle.ring.RingReader;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one partition. The lock guards {@link #close()}, which the queue may call from another
 * thread: unmapping a file during a read would crash the process.
 */
final class ChronicleTailer implements Tailer {

  private static final Logger LOG = LoggerFactory.getLogger(ChronicleTailer.class);
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);

  /**
   * Appends do not wake a thread that sleeps so briefly: that would cost them more than it gains.
   */
  private static final long NAP_NANOS = 1_000_000;

  private final ChronicleMessageQueue queue;
  private final int partition;
  private final PartitionLog log;
  private final FrameReader reader;
  private final @Nullable RingReader ring;
  private final ReentrantLock lock = new ReentrantLock();

  /** Whose messages end a wait. */
  private final List<ChronicleTailer> awaited;

  private long position;
  private boolean located;
  private volatile boolean closed;

  private volatile boolean woken;
  private volatile @Nullable Thread sleeping;

  /**
   * @param awaited the tailers of its thread, which it joins while it is open
   */
  ChronicleTailer(
      ChronicleMessageQueue queue, int partition, PartitionLog log, List<ChronicleTailer> awaited) {
    this.queue = queue;
    this.partition = partition;
    this.log = log;
    this.reader = log.store().newReader();
    this.ring = log.intake().newRingReader();
    this.position = log.first();
    this.awaited = awaited;
    awaited.add(this);
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
  public void seek(long wanted) {
    lock.lock();
    try {
      checkOpen();
      long end = log.end();
      long first = log.first();
      if (wanted < first || wanted > end) {
        throw new PositionOutOfRange(queue.name(), partition, wanted, first, end);
      }
      position = wanted;
      located = false;
      if (wanted < log.stored()) {
        locate();
      }
    } finally {
      lock.unlock();
    }
  }

  private void locate() {
    log.store().locate(reader, position);
    located = true;
    position = Math.max(position, reader.expected());
  }

  @Override
  public long end() {
    checkOpen();
    return log.end();
  }

  @Override
  public void toStart() {
    seek(log.first());
  }

  @Override
  public void toEnd() {
    seek(log.end());
  }

  @Override
  public int poll(int max, MessageHandler handler) {
    lock.lock();
    try {
      checkOpen();
      long end = log.end();
      if (position >= end) {
        log.health().checkReadable(position);
        return 0;
      }
      return read(max, end, handler);
    } finally {
      if (closed) {
        release();
      } else {
        lock.unlock();
      }
    }
  }

  @Override
  public void await(Duration atMost) {
    if (atMost.toNanos() <= NAP_NANOS) {
      Machine.park(atMost.toNanos());
      return;
    }
    sleeping = Thread.currentThread();
    awaited.forEach(it -> it.log.sleepers().add());
    if (!woken && !closed && awaited.stream().allMatch(it -> it.position >= it.log.end())) {
      Machine.park(atMost.toNanos());
    }
    awaited.forEach(it -> it.log.sleepers().remove());
    sleeping = null;
    woken = false;
  }

  @Override
  public void wake() {
    woken = true;
    LockSupport.unpark(sleeping);
  }

  /** Reads from the file what is there, and what follows from the ring. */
  private int read(int max, long end, MessageHandler handler) {
    int count = 0;
    boolean more = true;
    while (more && count < max && position < end && !closed) {
      long before = position;
      long stored = Math.min(end, log.stored());
      boolean inFile = position < stored;
      count = inFile ? readFile(count, max, stored, handler) : readRing(count, max, end, handler);
      // A message that is no longer in the ring is in the file.
      more = position > before || (!inFile && position < log.stored());
    }
    return count;
  }

  private int readRing(int before, int max, long end, MessageHandler handler) {
    int count = before;
    RingReader from = ring;
    while (from != null && count < max && position < end && !closed && from.read(position)) {
      handler.handle(position, from.payload());
      position++;
      located = false;
      count++;
    }
    return count;
  }

  private int readFile(int before, int max, long end, MessageHandler handler) {
    int count = before;
    if (!located) {
      locate();
    }
    while (count < max && position < end && !closed) {
      if (reader.next() != StoredFrame.MESSAGE && !readAgain(end, count)) {
        break;
      }
      try {
        handler.handle(reader.number(), reader.payload());
      } catch (Throwable e) {
        if (!closed) {
          reader.unread();
        }
        throw e;
      }
      position = reader.expected();
      count++;
    }
    return count;
  }

  /**
   * Looks once more, from the beginning, for a message that exists but was not found. Chronicle's
   * tailers have states in which they miss existing messages, so this comes before reporting
   * damage.
   *
   * @return whether it was read this time
   */
  private boolean readAgain(long end, int count) {
    position = reader.expected();
    if (position >= end) {
      return false;
    }
    if (position < log.first()) {
      throw new PositionOutOfRange(queue.name(), partition, position, log.first(), end);
    }
    log.store().locate(reader, position);
    int kind = reader.next();
    if (kind == StoredFrame.MESSAGE) {
      return true;
    }
    position = Math.max(position, reader.expected());
    if (position >= end || count > 0) {
      return false;
    }
    throw log.health().damaged(position, reader.damage(kind));
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("this tailer of %s is closed".formatted(queue));
    }
  }

  /**
   * Waits for a handler that runs. If it takes too long, or calls this itself, the thread of the
   * handler closes the files when it returns.
   */
  @Override
  public void close() {
    closed = true;
    awaited.remove(this);
    LockSupport.unpark(sleeping);
    if (lock.isHeldByCurrentThread()) {
      return;
    }
    if (!awaitHandler()) {
      LOG.warn(
          "{}: the handler of a tailer still runs after {} s; the files stay open, and the data"
              + " directory in use",
          queue,
          LONGEST_CLOSE.toSeconds());
      return;
    }
    release();
  }

  /** Closes the files, and always lets go of the queue. */
  private void release() {
    try {
      reader.close();
    } finally {
      lock.unlock();
      queue.forget(this);
    }
  }

  /**
   * Takes the lock, also if the calling thread is interrupted; returns false if it takes too long.
   */
  private boolean awaitHandler() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return Machine.lock(lock, LONGEST_CLOSE);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
