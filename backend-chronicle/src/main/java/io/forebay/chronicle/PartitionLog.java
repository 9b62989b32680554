/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.CycleFiles;
import io.forebay.chronicle.file.Found;
import io.forebay.chronicle.file.FrameStore;
import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.Mark;
import io.forebay.chronicle.file.Permissions;
import io.forebay.chronicle.file.QueueSettings;
import io.forebay.chronicle.file.SettingAside;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.chronicle.file.Tail;
import io.forebay.queue.Capabilities;
import io.forebay.queue.MissingMessages;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition: a Chronicle queue of its own whose documents are frames with contiguous numbers.
 * All appends go through this object, under one short lock. The {@link #end()} is therefore known,
 * and no reader goes past it. Thread-safe.
 */
public final class PartitionLog implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PartitionLog.class);

  private final String name;
  private final QueueSettings settings;
  private final FrameStore store;
  private final Mark mark;
  private final Health health;
  private final Uncompared uncompared;

  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable FrameWriter writer;
  private long lastIndex;
  private volatile int cycle = CycleFiles.NO_CYCLE;
  private volatile long end;

  /**
   * The message up to which everything is forced, stored in each frame; written by the forcing
   * thread.
   */
  private volatile long forced;

  /** Written under the lock before {@link #end}; readers see it through {@code end}. */
  private long appendedBytes;

  PartitionLog(String name, Path directory, QueueSettings settings) throws IOException {
    this.name = name;
    this.settings = settings;
    Permissions.ownDirectory(directory);
    mark = new Mark(directory);
    health = new Health(name, settings.space());
    Found found = Found.open(name, directory, settings, mark);
    store = found.store();
    boolean opened = false;
    try {
      open(found);
      uncompared = new Uncompared(directory, end, found.damage() == null);
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /** Takes over the end that was found and prepares it for appending. */
  private void open(Found found) {
    Tail tail = found.tail();
    end = tail.end();
    lastIndex = tail.lastIndex();
    long proven = Math.max(mark.position(), Math.min(tail.forced(), end));
    if (found.damage() != null) {
      health.damaged(end, found.damage());
      forceWhatIsSound(proven);
      return;
    }
    try {
      if (proven < end) {
        store.rewriteFrom(proven);
      }
      mark.open(proven, settings.level(), settings.host().boot());
      forced = proven;
    } catch (IOException e) {
      health.fail("messages that may not be on disk cannot be rewritten", e);
      return;
    }
    begin(tail);
  }

  /**
   * Forces the messages before the damage. They will be performed, so they must be as safe as
   * others.
   */
  private void forceWhatIsSound(long proven) {
    try {
      if (proven < end) {
        store.rewriteFrom(proven);
        cycle = store.files().newest();
      }
      forced = Math.min(proven, end);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: the messages before the damage cannot be rewritten to disk", name, e);
    }
  }

  /** Opens for appending after an end that is sound or can be repaired. */
  private FrameWriter begin(Tail tail) {
    FrameWriter opened = store.newWriter();
    writer = opened;
    if (!store.files().isEmpty()) {
      cycle = store.files().newest();
    }
    if (tail.badLast()) {
      LOG.warn(
          "{}: the last frame is damaged and was cut; the next message is {}", name, tail.end());
      opened.resume(tail.end());
      written(opened.index(), tail.end());
    }
    return opened;
  }

  String name() {
    return name;
  }

  Health health() {
    return health;
  }

  FrameStore store() {
    return store;
  }

  /** The number the next message will have. */
  long end() {
    return end;
  }

  /** The bytes that messages appended since opening take in the files. */
  long appendedBytes() {
    return end < 0 ? 0 : appendedBytes;
  }

  /** The file appended to last; {@link CycleFiles#NO_CYCLE} if none. */
  int cycle() {
    return cycle;
  }

  /** The number of the first message kept. */
  long first() {
    return store.first(end);
  }

  /** The message up to which the partition was known to be good when it was opened. */
  long marked() {
    return mark.position();
  }

  /** Everything before this message is on disk. */
  long forced() {
    return forced;
  }

  /** Records that everything before this message was forced to disk. */
  void forced(long number) {
    forced = number;
  }

  /** Stores the mark: everything before {@link #forced()} is forced to disk and good. */
  void markGood() throws IOException {
    if (health.damage() == null) {
      mark.save(forced);
    }
  }

  /** Like {@link #markGood}, when no more messages will be appended. */
  void markClosed() throws IOException {
    if (health.damage() == null && forced == end) {
      mark.close(forced);
    } else {
      markGood();
    }
  }

  /**
   * Appends a message.
   *
   * @return its number
   */
  long append(ByteBuffer message) {
    if (message.remaining() > Capabilities.MAX_MESSAGE_BYTES) {
      throw tooLarge(message.remaining());
    }
    lock.lock();
    try {
      health.checkAccepting();
      long number = end;
      FrameWriter open = writer();
      try {
        open.message(number, forced, message);
        written(open.index(), number);
      } catch (RuntimeException | Error e) {
        afterFailedWrite(number, e);
      }
      appendedBytes += StoredFrame.storedBytes(message.remaining());
      end = number + 1;
      return number;
    } finally {
      lock.unlock();
    }
  }

  private QueueRefused tooLarge(int bytes) {
    return new QueueRefused(
        QueueRefused.Reason.TOO_LARGE,
        Double.NaN,
        Duration.ZERO,
        "%s refuses a message of %,d bytes (limit=%,d); nothing was written; make the message smaller"
            .formatted(name, bytes, Capabilities.MAX_MESSAGE_BYTES));
  }

  private FrameWriter writer() {
    FrameWriter open = writer;
    return open == null ? reopen() : open;
  }

  /** Opens the writer again after a failed append. */
  private FrameWriter reopen() {
    Tail tail;
    try {
      tail = store.examineFromFrame(lastIndex, end);
      if (tail.damage() == null && tail.end() == end) {
        return begin(tail);
      }
    } catch (InternalError e) {
      closeWriter();
      throw health.diskFull();
    } catch (IOException | RuntimeException | Error e) {
      throw health.refusedForGood("it cannot be reopened for appending", e);
    }
    throw health.damaged(
        end, tail.damage() == null ? "a message that was reported as not written" : tail.damage());
  }

  private void written(long index, long number) {
    lastIndex = index;
    int now = store.files().cycleOf(index);
    if (now != cycle) {
      rolled(now, number);
    }
  }

  private void rolled(int now, long number) {
    try {
      store.files().began(now, number);
    } catch (IOException e) {
      LOG.warn(
          "{}: the permissions of a new file cannot be set; its directory is protected", name, e);
    }
    cycle = now;
  }

  /**
   * The first message that was not compared with the consumer's progress; the end if there is none.
   */
  long uncompared() {
    return uncompared.from(end);
  }

  /** Refuses messages until {@link #agreed}. No append is in progress when this returns. */
  void refuse(String why) {
    lock.lock();
    try {
      health.refuse(why);
    } finally {
      lock.unlock();
    }
  }

  void agreed() throws IOException {
    uncompared.agreed();
    health.agreed();
  }

  /**
   * Advances the number of the next message.
   *
   * @throws IllegalArgumentException if the number is in use
   */
  void skipTo(long number) {
    lock.lock();
    try {
      health.checkWritable();
      if (number < end || number > StoredFrame.MAX_NUMBER) {
        throw new IllegalArgumentException(
            "%s cannot resume at position %,d (end=%,d)".formatted(name, number, end));
      }
      FrameWriter open = writer();
      try {
        open.resume(number);
        written(open.index(), number);
      } catch (RuntimeException | Error e) {
        throw health.failed("the gap up to message %,d was not written".formatted(number), e);
      }
      end = number;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Finds out whether a message was written although the append threw, which happens when the disk
   * is full. Returns normally if it was written.
   */
  private void afterFailedWrite(long number, Throwable cause) {
    Tail tail;
    try {
      closeWriter();
      tail = store.examineFromFrame(lastIndex, number);
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
      written(tail.lastIndex(), number);
    } else if (cause instanceof InternalError) {
      throw health.diskFull();
    } else {
      throw health.refusedForGood("message %,d was not written".formatted(number), cause);
    }
  }

  /**
   * Deletes files that are no longer needed. Does nothing if the partition is damaged or refused.
   */
  void deletePassed(OptionalLong passed, Duration kept, Instant now) throws IOException {
    if (health.damage() == null && !health.isRefused()) {
      store.deletePassed(passed, kept, now);
    }
  }

  /**
   * Has the damage set aside the next time the partition is opened.
   *
   * @return the messages that will be missing
   * @throws IllegalStateException if there is no known damage
   */
  List<MissingMessages> setAside() throws IOException {
    QueueStats.Damage damage = health.damage();
    if (damage == null) {
      throw new IllegalStateException("%s has no known damage".formatted(name));
    }
    List<MissingMessages> missing =
        new SettingAside(name, store.directory(), settings)
            .request(damage.position(), mark.position());
    health.setAsideNext();
    return missing;
  }

  /** Refuses messages for good. No append is in progress when this returns. */
  void stopAccepting() {
    lock.lock();
    try {
      health.close();
    } finally {
      lock.unlock();
    }
  }

  private void closeWriter() {
    FrameWriter open = writer;
    writer = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closeWriter();
      store.close();
    } finally {
      lock.unlock();
    }
  }
}
