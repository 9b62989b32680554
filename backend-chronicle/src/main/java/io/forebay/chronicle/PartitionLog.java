/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.CycleFiles;
import io.forebay.chronicle.file.FrameStore;
import io.forebay.chronicle.file.LogEnd;
import io.forebay.chronicle.file.Mark;
import io.forebay.chronicle.file.OpenedFiles;
import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.chronicle.file.QueueSettings;
import io.forebay.chronicle.file.SettingAside;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.chronicle.ring.PartitionRing;
import io.forebay.chronicle.ring.RingSettings;
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

/**
 * One partition: a Chronicle queue of its own whose documents are frames with contiguous numbers.
 * All appends go through this object, under one short lock. The {@link #end()} is therefore known,
 * and no reader goes past it. Thread-safe.
 */
public final class PartitionLog implements AutoCloseable {

  private static final long NO_ROOM = -1;

  private final String name;
  private final QueueSettings settings;
  private final FrameStore store;
  private final Mark mark;
  private final Health health;
  private final Uncompared uncompared;

  private final ReentrantLock lock = new ReentrantLock();
  private final PartitionWriter writer;
  private final Intake intake;
  private volatile long end;
  private final Sleepers sleepers = new Sleepers();

  /**
   * The message up to which everything is forced, stored in each frame; written by the forcing
   * thread.
   */
  private volatile long forced;

  /** Written under the lock before {@link #end}; readers see it through {@code end}. */
  private long appendedBytes;

  /**
   * @param rings the settings of rings; null if messages are written to the file at once
   */
  PartitionLog(PartitionRing.Owner owner, QueueSettings settings, @Nullable RingSettings rings)
      throws IOException {
    name = owner.name();
    this.settings = settings;
    Path directory = owner.directory();
    PrivateFiles.ownDirectory(directory);
    mark = new Mark(directory);
    health = new Health(name, settings.space());
    OptionalLong setAside = new SettingAside(name, directory, settings).finish(mark);
    long lostBefore = setAside.orElse(0);
    OpenedFiles found = OpenedFiles.open(name, directory, settings, mark);
    store = found.store();
    writer = new PartitionWriter(name, store, health);
    intake = new Intake(name, writer, health);
    try {
      if (open(found.tail())) {
        end = intake.open(owner, rings, setAside.isPresent(), end);
        if (lostBefore > end) { // nothing was there to be set aside
          intake.resume(end, lostBefore);
          end = lostBefore;
        }
      }
      uncompared = new Uncompared(directory, end, health.damage() == null, lostBefore > 0);
      if (uncompared.isDrained()) {
        health.drained();
      }
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /**
   * Takes over the end that was found, has the messages before it forced, and prepares it for
   * appending. Messages before damage will be performed.
   *
   * @return whether messages can be written
   */
  private boolean open(LogEnd tail) {
    String damage = tail.damage();
    end = tail.end();
    if (damage != null) {
      health.damaged(end, damage);
    }
    long proven = Math.min(end, Math.max(mark.position(), tail.forced()));
    try {
      if (proven < end) {
        store.rewriteFrom(proven);
        writer.atNewest();
      }
      forced = proven;
      if (damage == null) {
        mark.open(proven, settings.level(), settings.host().boot());
      }
    } catch (IOException | RuntimeException e) {
      health.fail("messages that may not be on disk cannot be rewritten", e);
      return false;
    }
    if (damage == null) {
      writer.begin(tail);
    }
    return damage == null;
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

  /** The threads to wake when {@link #end} has grown. */
  Sleepers sleepers() {
    return sleepers;
  }

  /** Everything before this message is in the file; what follows is in the ring. */
  long stored() {
    return Math.min(end, intake.stored());
  }

  /** Moves what was appended before the call to the file; see {@link Intake#drain}. */
  boolean drain() {
    return intake.drain(end);
  }

  /** What its messages take, in files and in the ring. */
  long bytes() {
    return store.diskUse().bytes() + intake.ringBytes();
  }

  Intake intake() {
    return intake;
  }

  /** The bytes that messages appended since opening take in the files. */
  long appendedBytes() {
    return end < 0 ? 0 : appendedBytes;
  }

  /** The file appended to last; {@link CycleFiles#NO_CYCLE} if none. */
  int cycle() {
    return writer.cycle();
  }

  /** The number of the first message kept. */
  long first() {
    return store.files().first(stored());
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
    long number = write(message);
    while (number == NO_ROOM) {
      intake.awaitRoom();
      number = write(message);
    }
    return number;
  }

  private long write(ByteBuffer message) {
    lock.lock();
    try {
      health.checkAccepting();
      long number = end;
      if (!intake.take(number, forced, message)) {
        return NO_ROOM;
      }
      appendedBytes += StoredFrame.storedBytes(message.remaining());
      end = number + 1;
      sleepers.wake();
      return number;
    } finally {
      lock.unlock();
    }
  }

  private QueueRefused tooLarge(int bytes) {
    return new QueueRefused(
        QueueRefused.Reason.TOO_LARGE,
        "%s refuses a message of %,d bytes (limit=%,d); nothing was written; make the message smaller"
            .formatted(name, bytes, Capabilities.MAX_MESSAGE_BYTES));
  }

  /**
   * The first message that was not compared with the consumer's progress; the end if there is none.
   */
  long uncompared() {
    return uncompared.from(end);
  }

  /** Refuses messages until {@link #agreed}. No append is in progress when this returns. */
  void refuse(String why) {
    betweenAppends(() -> health.refuse(why));
  }

  private void betweenAppends(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  /** Like {@link #refuse}, also after it is opened again. */
  void drained() throws IOException {
    lock.lock();
    try {
      uncompared.drained(end);
      health.drained();
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
    betweenAppends(() -> {
      health.checkWritable();
      if (number < end || number > StoredFrame.MAX_NUMBER) {
        throw new IllegalArgumentException(
            "%s cannot resume at position %,d (end=%,d)".formatted(name, number, end));
      }
      intake.resume(end, number);
      end = number;
    });
  }

  /** Deletes files that are no longer needed, unless the partition is damaged or refused. */
  void deletePassed(OptionalLong passed, Duration kept, Instant now) throws IOException {
    if (health.damage() == null && !health.isRefused()) {
      store.diskUse().deletePassed(passed, kept, now);
    }
  }

  /** Treats performed messages that are not there as damage; see {@link Health#lost}. */
  void lost(long from, long next) {
    betweenAppends(() -> health.lost(from, next));
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
            .request(damage.position(), mark.position(), health.lostBefore());
    health.setAsideNext();
    return missing;
  }

  /** Refuses messages for good. No append is in progress when this returns. */
  void stopAccepting() {
    betweenAppends(health::close);
  }

  @Override
  public void close() {
    lock.lock();
    try (store;
        writer) {
      intake.close(end);
    } finally {
      lock.unlock();
    }
  }
}
