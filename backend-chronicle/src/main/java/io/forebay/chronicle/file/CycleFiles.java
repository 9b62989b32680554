/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one partition, one for each cycle that has messages, with the number of the first
 * message in each. Positions are looked up with these numbers. Thread-safe.
 */
public final class CycleFiles {

  /** The file has no message yet. */
  static final long EMPTY = -1;

  /** No file yet. */
  public static final int NO_CYCLE = -1;

  private static final Logger LOG = LoggerFactory.getLogger(CycleFiles.class);
  private static final String SUFFIX = ".cq4";
  private static final long UNREAD = -2;

  private final String name;
  private final Path directory;
  private final RollCycle roll;
  private final Host.Read disk;
  private final DateTimeFormatter format;
  private final ConcurrentSkipListMap<Integer, Long> firstNumbers = new ConcurrentSkipListMap<>();

  CycleFiles(String name, Path directory, Host host) throws IOException {
    this.name = name;
    this.directory = directory;
    roll = host.roll();
    disk = host.read();
    this.format = DateTimeFormatter.ofPattern(roll.format()).withZone(ZoneOffset.UTC);
    discover();
  }

  /** Adds files that were created without a successful append. */
  void discover() throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : found) {
        firstNumbers.putIfAbsent(cycle(file), UNREAD);
      }
    }
  }

  /** The name of the partition in log and error messages. */
  String name() {
    return name;
  }

  public List<Integer> cycles() {
    return new ArrayList<>(firstNumbers.keySet());
  }

  /** The cycles after {@code after}, up to and including {@code upTo}. */
  public List<Integer> cycles(int after, int upTo) {
    return new ArrayList<>(firstNumbers.subMap(after, false, upTo, true).keySet());
  }

  public boolean isEmpty() {
    return firstNumbers.isEmpty();
  }

  public boolean contains(int cycle) {
    return firstNumbers.containsKey(cycle);
  }

  public int newest() {
    return firstNumbers.lastKey();
  }

  int oldest() {
    return firstNumbers.firstKey();
  }

  int cycleOf(long index) {
    return roll.toCycle(index);
  }

  long index(int cycle, long sequence) {
    return roll.toIndex(cycle, sequence);
  }

  long startMillis(int cycle) {
    return (long) cycle * roll.lengthInMillis();
  }

  long endMillis(int cycle) {
    return startMillis(cycle + 1);
  }

  public Path path(int cycle) {
    return directory.resolve(format.format(Instant.ofEpochMilli(startMillis(cycle))) + SUFFIX);
  }

  private int cycle(Path file) {
    String text = file.getFileName().toString();
    text = text.substring(0, text.length() - SUFFIX.length());
    long millis = LocalDateTime.parse(text, format).toInstant(ZoneOffset.UTC).toEpochMilli();
    return Math.toIntExact(millis / roll.lengthInMillis());
  }

  /** Records that a new file begins with this message. */
  public void began(int cycle, long number) {
    firstNumbers.put(cycle, number);
    try {
      PrivateFiles.ownFile(path(cycle));
    } catch (IOException e) {
      LOG.warn(
          "{}: the permissions of a new file cannot be set; its directory is protected", name, e);
    }
  }

  void delete(int cycle) throws IOException {
    firstNumbers.remove(cycle);
    Files.deleteIfExists(path(cycle));
  }

  /** Moves a tailer at the end of its file to the next file, if there is one. */
  boolean moveToNext(ExcerptTailer tailer) {
    Integer next = firstNumbers.higherKey(roll.toCycle(tailer.index()));
    return next != null && tailer.moveToIndex(roll.toIndex(next, 0));
  }

  /**
   * The last file that begins at or before a message and whose beginning is intact, judged by its
   * bytes alone; otherwise the oldest file.
   */
  int wholeCycleOf(long number) throws IOException {
    List<Integer> cycles = cycles();
    for (int i = cycles.size() - 1; i > 0; i--) {
      try (FrameScan scan = scan(cycles.get(i))) {
        if (scan.next() != FrameScan.NOTHING
            && scan.frame().number() <= number
            && !scan.isBehindBreak()) {
          return cycles.get(i);
        }
      }
    }
    return oldest();
  }

  FrameScan scan(int cycle) throws IOException {
    return new FrameScan(path(cycle), disk);
  }

  /** Describes what stands behind the last good frame; see {@link FrameScan#unknown}. */
  @Nullable String unknownLast() throws IOException {
    for (int cycle : cycles().reversed()) {
      try (FrameScan scan = scan(cycle)) {
        while (scan.next() != FrameScan.NOTHING) {}
        String unknown = scan.unknown();
        if (unknown != null || scan.end() > 0) {
          return unknown;
        }
      }
    }
    return null;
  }

  /** The number of the first message kept, or {@code end} if there is none. */
  public long first(long end) {
    long first = firstFrom(Integer.MIN_VALUE);
    return first == EMPTY ? end : first;
  }

  /** The first number in the files from a cycle on; {@link #EMPTY} if they have no message. */
  long firstFrom(int cycle) {
    for (int each : firstNumbers.tailMap(cycle).keySet()) {
      long first = firstOf(each);
      if (first != EMPTY) {
        return first;
      }
    }
    return EMPTY;
  }

  /**
   * The last file that begins at or before a message. If a file's first number is unknown, the next
   * file's is used.
   */
  public int cycleWith(long number) {
    List<Integer> cycles = cycles();
    int low = 0;
    int high = cycles.size();
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      long first = firstFrom(cycles.get(middle));
      if (first != EMPTY && first <= number) {
        low = middle;
      } else {
        high = middle;
      }
    }
    while (low + 1 < cycles.size() && firstOf(cycles.get(low)) == EMPTY) {
      low++;
    }
    return cycles.get(low);
  }

  /**
   * The number of the first message of a file; {@link #EMPTY} if nothing in the file reveals it.
   */
  public long firstOf(int cycle) {
    Long known = firstNumbers.get(cycle);
    if (known != null && known != UNREAD) {
      return known;
    }
    long number = readFirst(cycle);
    if (number != EMPTY) {
      firstNumbers.replace(cycle, UNREAD, number);
    }
    return number;
  }

  /**
   * Counts damaged frames before the first good one as messages, unless they were cut. If they
   * cannot be counted, nothing is known of the file, but the oldest one then begins at 0, so that
   * what it has lost is damage.
   */
  private long readFirst(int cycle) {
    try (FrameScan scan = scan(cycle)) {
      if (!scan.first()) {
        return EMPTY;
      }
      int damaged = scan.damagedBefore();
      if (damaged < 0) {
        return cycle == oldest() ? 0 : EMPTY;
      }
      boolean cut = scan.frame().kind() == StoredFrame.RESUME;
      return cut ? scan.frame().number() : Math.max(0, scan.frame().number() - damaged);
    } catch (IOException e) {
      LOG.debug("{}: the beginning of file {} cannot be read", name, path(cycle), e);
      return EMPTY; // it may have been deleted
    }
  }

  /**
   * Checks the beginning of each file, because Chronicle waits for an unfinished one and then
   * handles it wrongly. Renames the newest file if nothing was ever written to it: a process died
   * while creating it.
   *
   * @throws QueueFailed if a file is so damaged that Chronicle cannot open it
   */
  void checkHeaders() throws IOException {
    for (int cycle : cycles()) {
      Path file = path(cycle);
      boolean unfinished;
      try (FrameBytes bytes = new FrameBytes(file, Host.Read.PLAIN)) {
        int header = bytes.header(0);
        unfinished = !FrameBytes.isReadyMetaData(header);
        if (unfinished && (cycle != newest() || mayHaveFrame(cycle))) {
          throw unusable(file, "has lost its header");
        }
        if (!unfinished && bytes.size() < FrameBytes.behind(0, header)) {
          throw unusable(file, "ends in its header");
        }
      } catch (IOException e) {
        throw unusable(file, "cannot be read (%s)".formatted(e));
      }
      if (unfinished) {
        putAside(cycle, file);
      }
    }
  }

  private boolean mayHaveFrame(int cycle) throws IOException {
    try (FrameScan scan = scan(cycle)) {
      return scan.next() != FrameScan.NOTHING || scan.unknown() != null;
    }
  }

  private QueueFailed unusable(Path file, String why) {
    return new QueueFailed(
        "%s cannot be opened: file %s %s; restore the file from a copy; to give up what cannot be read, create an empty file %s in its directory"
            .formatted(name, file, why, SettingAside.NOTE),
        null);
  }

  private void putAside(int cycle, Path file) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".unfinished");
    Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
    firstNumbers.remove(cycle);
    LOG.warn(
        "{}: file {} was never finished; renamed with the suffix .unfinished",
        name,
        file.getFileName());
  }
}
