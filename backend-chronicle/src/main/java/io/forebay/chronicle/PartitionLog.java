/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.Capabilities;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Verification;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition: a Chronicle queue of its own, whose documents are frames with contiguous numbers.
 * All appends of this process, and so all there are, go through here under one short lock; {@link
 * #end()} is therefore known, and no reader goes past it. Thread-safe.
 */
final class PartitionLog implements AutoCloseable {

  static final int NO_CYCLE = -1;

  private static final Logger LOG = LoggerFactory.getLogger(PartitionLog.class);
  private static final int LOCK_TIMEOUT_MILLIS = 2_000;
  private static final Duration DISK_RETRY = Duration.ofSeconds(1);

  private final String name;
  private final Path directory;
  private final CycleFiles files;
  private final SingleChronicleQueue queue;
  private final DiskSpace space;
  private final Mark mark;
  private final Lookup lookup;
  private final DiskUse diskUse;
  private final Object verifying = new Object();

  /** For all look-ups but those of tailers. */
  private final FrameReader reader;

  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable FrameWriter writer;
  private long lastIndex = -1;
  private volatile int cycle = NO_CYCLE;
  private int markedCycle = NO_CYCLE;
  private volatile long end;
  private volatile QueueStats.@Nullable Refusal refusal;
  private volatile @Nullable String damage;
  private volatile boolean shut;

  PartitionLog(String name, Path directory, Settings settings) throws IOException {
    this.name = name;
    this.directory = directory;
    this.space = settings.space();
    Permissions.ownDirectory(directory);
    // Chronicle keeps its own lock and directory listing here. Nobody else can hold that lock,
    // since
    // the data directory is ours, and without the file neither the lock of a dead process nor
    // damage
    // in it can stop the start. Chronicle makes a new one from the files.
    Path metadata = directory.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE);
    Files.deleteIfExists(metadata);
    files = new CycleFiles(name, directory, settings.host().roll());
    mark = new Mark(directory);
    String badFile = files.checkHeaders();
    if (!files.isEmpty()) {
      settings.clock().notBefore(files.startMillis(files.newest()));
    }
    queue =
        SingleChronicleQueueBuilder.binary(directory.toFile())
            .rollCycle(settings.host().roll())
            .timeProvider(settings.clock())
            .blockSize(settings.options().blockBytes())
            .timeoutMS(LOCK_TIMEOUT_MILLIS)
            .build();
    Permissions.ownFile(metadata);
    lookup = new Lookup(files, this::newReader);
    diskUse = new DiskUse(files, queue);
    reader = newReader();
    boolean opened = false;
    try {
      open(badFile);
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /** Finds the end, and makes it one that can be appended to. */
  private void open(@Nullable String badFile) {
    if (!files.isEmpty()) {
      markedCycle =
          lookup.locate(reader, Math.max(mark.position(), lookup.first(reader, mark.position())));
    }
    Tail tail = Tail.examine(reader, files, queue);
    end = tail.end();
    lastIndex = tail.lastIndex();
    if (badFile != null) {
      damaged(badFile);
    } else if (tail.damage() != null) {
      damaged(at(end, tail.damage()));
    } else if (end < mark.position()) {
      damaged(
          at(end, "the end, but messages up to %,d were stored safely".formatted(mark.position())));
    } else {
      begin(tail);
    }
  }

  /** Opens for appending behind a tail that is sound, or can be made so. */
  private FrameWriter begin(Tail tail) {
    FrameWriter opened = new FrameWriter(queue);
    writer = opened;
    if (!files.isEmpty()) {
      cycle = files.newest();
    }
    if (tail.badLast()) {
      LOG.warn(
          "{}: the last frame is damaged and was cut; the next message is {}", name, tail.end());
      opened.resume(tail.end());
      written(opened, tail.end());
    }
    return opened;
  }

  String name() {
    return name;
  }

  CycleFiles files() {
    return files;
  }

  Path directory() {
    return directory;
  }

  FrameReader newReader() {
    return new FrameReader(queue.createTailer(), files);
  }

  /** The number the next message will have. */
  long end() {
    return end;
  }

  /** The file that was appended to last, {@link #NO_CYCLE} if none was. */
  int cycle() {
    return cycle;
  }

  long first() {
    synchronized (reader) {
      return lookup.first(reader, end);
    }
  }

  /** The first number of a file. */
  long firstOf(int ofCycle) {
    synchronized (reader) {
      return files.firstNumber(ofCycle, reader);
    }
  }

  /** What was known to be good when it was opened. */
  long marked() {
    return mark.position();
  }

  /** The file in which that is, {@link #NO_CYCLE} if there was none. */
  int markedCycle() {
    return markedCycle;
  }

  /** Everything before that message is forced to disk and good. */
  void markGood(long number) throws IOException {
    if (damage == null) {
      mark.save(number);
    }
  }

  /** Makes the first message at or after a number the next one of a reader. */
  void locate(FrameReader tailing, long number) {
    lookup.locate(tailing, number);
  }

  /**
   * Appends a message.
   *
   * @return its number
   */
  long append(ByteBuffer message) {
    if (message.remaining() > Capabilities.MAX_MESSAGE_BYTES) {
      throw new QueueRefused(
          QueueRefused.Reason.TOO_LARGE,
          Double.NaN,
          Duration.ZERO,
          "%s: a message of %,d bytes was refused (limit=%,d); it must be made smaller"
              .formatted(name, message.remaining(), Capabilities.MAX_MESSAGE_BYTES));
    }
    lock.lock();
    try {
      checkAccepting();
      long number = end;
      try {
        FrameWriter open = writer();
        open.message(number, message);
        written(open, number);
      } catch (RuntimeException | Error e) {
        afterFailedWrite(number, e);
      }
      end = number + 1;
      return number;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets the next message have a number further on.
   *
   * @throws IllegalArgumentException if the number is taken
   */
  void skipTo(long number) {
    lock.lock();
    try {
      checkAccepting();
      if (number < end || number > Frame.MAX_NUMBER) {
        throw new IllegalArgumentException(
            "%s cannot go on at position %,d (end=%,d)".formatted(name, number, end));
      }
      try {
        FrameWriter open = writer();
        open.resume(number);
        written(open, number);
      } catch (RuntimeException | Error e) {
        throw failed("the gap up to message %,d could not be written".formatted(number), e);
      }
      end = number;
    } finally {
      lock.unlock();
    }
  }

  private void written(FrameWriter by, long number) {
    lastIndex = by.index();
    int now = files.cycleOf(lastIndex);
    if (now != cycle) {
      rolled(now, number);
    }
  }

  private void rolled(int now, long number) {
    try {
      files.began(now, number);
    } catch (IOException e) {
      LOG.warn("{}: a new file cannot be closed to others; its directory is", name, e);
    }
    cycle = now;
  }

  private FrameWriter writer() {
    FrameWriter open = writer;
    return open == null ? begin(examineFromLast()) : open;
  }

  /** What stands behind the last frame that is known to be good. */
  private Tail examineFromLast() {
    synchronized (reader) {
      if (lastIndex != -1) {
        reader.moveTo(lastIndex, end - 1);
      } else if (!files.isEmpty()) {
        reader.moveTo(files.index(files.cycles().getFirst(), 0), end);
      }
      return Tail.examine(reader, files, queue);
    }
  }

  /**
   * Finds out whether a message was written although the append threw, which happens when the disk
   * is full. Returns normally if it was.
   */
  private void afterFailedWrite(long number, Throwable cause) {
    Tail tail;
    try {
      closeWriter();
      tail = examineFromLast();
    } catch (RuntimeException | Error e) {
      e.addSuppressed(cause);
      throw failed("whether message %,d was written is not known".formatted(number), e);
    }
    if (tail.damage() != null) {
      throw failed("message %,d left %s behind".formatted(number, tail.damage()), cause);
    }
    lastIndex = tail.lastIndex() == -1 ? lastIndex : tail.lastIndex();
    if (tail.end() == number + 1) {
      cycle = files.cycleOf(lastIndex);
      LOG.warn("{}: an append threw, but message {} was written", name, number, cause);
      return;
    }
    throw refused(cause instanceof InternalError ? space.full() : fail("an append threw", cause));
  }

  private void checkAccepting() {
    QueueStats.Refusal now = refusal();
    if (now != null) {
      throw refused(now);
    }
  }

  private QueueRefused refused(QueueStats.Refusal now) {
    boolean disk = now.reason() == QueueRefused.Reason.DISK;
    return new QueueRefused(
        now.reason(),
        now.fill(),
        disk ? DISK_RETRY : Duration.ZERO,
        "%s does not take messages (%s since %s); nothing was written%s"
            .formatted(
                name,
                now.reason(),
                now.since(),
                disk ? ", it takes them again when the disk has room" : ""));
  }

  /** Why nothing is accepted now, or null. */
  QueueStats.@Nullable Refusal refusal() {
    QueueStats.Refusal own = refusal;
    return own == null ? space.refusal() : own;
  }

  /** Accepts nothing any more, because something could not be stored. */
  QueueStats.Refusal fail(String what, Throwable cause) {
    LOG.error("{}: {}; nothing is accepted any more until a restart", name, what, cause);
    QueueStats.Refusal failed = failure();
    refusal = failed;
    return failed;
  }

  private static QueueStats.Refusal failure() {
    return new QueueStats.Refusal(QueueRefused.Reason.FAILED, Double.NaN, Instant.now());
  }

  private QueueFailed failed(String what, Throwable cause) {
    fail(what, cause);
    return new QueueFailed(name + ": " + what + "; nothing is accepted until a restart", cause);
  }

  /** Accepts nothing any more, because what is stored is not what was written. */
  QueueFailed damaged(String what) {
    QueueFailed failure = damage(what);
    LOG.error(failure.getMessage());
    damage = what;
    refusal = failure();
    return failure;
  }

  private QueueFailed damage(String what) {
    return new QueueFailed(
        "%s is damaged: %s; nothing is accepted until an operator has set it aside"
            .formatted(name, what),
        null);
  }

  /**
   * @throws QueueFailed if the end is not where writing ended
   */
  void checkEnd() {
    String what = damage;
    if (what != null) {
      throw damage(what);
    }
  }

  /** Reads from a message on, or from what was good when it was opened if that is later. */
  Verification verify(long from) {
    synchronized (verifying) {
      long to = end;
      long start = Math.min(to, Math.max(from, Math.max(first(), mark.position())));
      try (FrameReader checking = newReader()) {
        if (start < to) {
          lookup.locate(checking, start);
          return check(checking, start, to);
        }
        return new Verification(start, to, damage);
      } catch (QueueFailed e) {
        return new Verification(start, start, e.getMessage());
      }
    }
  }

  private Verification check(FrameReader checking, long start, long to) {
    int kind = Frame.MESSAGE;
    while (checking.expected() < to && kind == Frame.MESSAGE && !shut) {
      kind = checking.next();
    }
    long reached = checking.expected();
    if (shut) {
      throw new IllegalStateException(name + " was closed while it was verified");
    }
    if (reached >= to) {
      return new Verification(start, to, damage);
    }
    String what = kind == FrameReader.BAD ? checking.damage() : "a hole";
    return new Verification(start, reached, damaged(at(reached, what)).getMessage());
  }

  static String at(long number, String what) {
    return "at message %,d there is %s".formatted(number, what);
  }

  /** What it takes on disk. */
  long bytes() {
    return damage == null ? diskUse.bytes() : 0;
  }

  /** Deletes what is no longer needed; what is damaged is left as it is. */
  void deletePassed(OptionalLong passed, Duration kept, Instant now) throws IOException {
    if (damage == null) {
      synchronized (reader) {
        diskUse.deletePassed(passed, kept, now, reader);
      }
    }
  }

  /** Accepts nothing any more. */
  void shut() {
    shut = true;
    lock.lock();
    try {
      if (refusal == null) {
        refusal = new QueueStats.Refusal(QueueRefused.Reason.CLOSED, Double.NaN, Instant.now());
      }
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
      synchronized (verifying) {
        synchronized (reader) {
          reader.close();
          queue.close();
        }
      }
    } finally {
      lock.unlock();
    }
  }
}
