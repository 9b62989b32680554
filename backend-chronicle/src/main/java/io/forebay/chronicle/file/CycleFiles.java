/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import net.openhft.chronicle.queue.RollCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one partition, one for each cycle that has messages, with the number of the first
 * message in each. Positions are looked up with these numbers. Thread-safe.
 */
public final class CycleFiles {

  /** No file yet. */
  public static final int NO_CYCLE = -1;

  private static final Logger LOG = LoggerFactory.getLogger(CycleFiles.class);
  private static final String SUFFIX = ".cq4";

  private final Partition partition;
  private final RollCycle roll;
  private final DateTimeFormatter format;
  private final ConcurrentSkipListMap<Integer, Long> firstNumbers = new ConcurrentSkipListMap<>();

  CycleFiles(Partition partition) throws IOException {
    this.partition = partition;
    this.roll = partition.settings().host().roll();
    this.format = DateTimeFormatter.ofPattern(roll.format()).withZone(ZoneOffset.UTC);
    discover();
  }

  /** Adds files that were created without a successful append. */
  void discover() throws IOException {
    for (Path file : FrameReader.files(partition.directory())) {
      firstNumbers.putIfAbsent(cycle(file), FrameFile.NONE);
    }
  }

  /** The name of the partition in log and error messages. */
  String name() {
    return partition.name();
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

  /** The file that Chronicle's index of a document names. */
  public int cycleOfIndex(long index) {
    return roll.toCycle(index);
  }

  long startMillis(int cycle) {
    return (long) cycle * roll.lengthInMillis();
  }

  long endMillis(int cycle) {
    return startMillis(cycle + 1);
  }

  public Path path(int cycle) {
    return partition
        .directory()
        .resolve(format.format(Instant.ofEpochMilli(startMillis(cycle))) + SUFFIX);
  }

  FrameFile open(int cycle) throws IOException {
    return new FrameFile(path(cycle), partition.salt());
  }

  private int cycle(Path file) {
    String text = file.getFileName().toString();
    text = text.substring(0, text.length() - SUFFIX.length());
    long millis = LocalDateTime.parse(text, format).toInstant(ZoneOffset.UTC).toEpochMilli();
    return Math.toIntExact(millis / roll.lengthInMillis());
  }

  /**
   * Records that this message was written to another file than the one before: the first if new.
   */
  public void began(int cycle, long number) throws IOException {
    firstNumbers.merge(cycle, number, (known, _) -> known == FrameFile.NONE ? number : known);
    Permissions.ownFile(path(cycle));
  }

  void delete(int cycle) throws IOException {
    firstNumbers.remove(cycle);
    Files.deleteIfExists(path(cycle));
  }

  /**
   * The last file that begins at or before a message and whose beginning is intact, judged by its
   * bytes alone; otherwise the oldest file.
   */
  int wholeCycleOf(long number) throws IOException {
    List<Integer> cycles = cycles();
    for (int i = cycles.size() - 1; i > 0; i--) {
      try (FrameFile scan = open(cycles.get(i))) {
        if (scan.scan() != FrameFile.NOTHING
            && scan.frame().number() <= number
            && !scan.isBehindBreak()) {
          return cycles.get(i);
        }
      }
    }
    return oldest();
  }

  /** The number of the first message of a file; {@link FrameFile#NONE} if it has none. */
  long firstNumber(int cycle) {
    long known = firstNumbers.getOrDefault(cycle, FrameFile.NONE);
    if (known != FrameFile.NONE) {
      return known;
    }
    try {
      long first = FrameFile.first(path(cycle), partition.salt());
      firstNumbers.replace(cycle, first);
      return first;
    } catch (IOException e) {
      throw new UncheckedIOException("%s cannot be read".formatted(path(cycle)), e);
    }
  }

  /** The first number of these files from an index on; {@link FrameFile#NONE} if they have none. */
  long firstFrom(List<Integer> cycles, int from) {
    long first = FrameFile.NONE;
    for (int i = from; first == FrameFile.NONE && i < cycles.size(); i++) {
      first = firstNumber(cycles.get(i));
    }
    return first;
  }

  /** The last file that begins at or before a message; otherwise the oldest. */
  public int cycleOf(long number) {
    for (int cycle : firstNumbers.descendingKeySet()) {
      long first = firstNumber(cycle);
      if (first != FrameFile.NONE && first <= number) {
        return cycle;
      }
    }
    return oldest();
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
      try (FrameFile file = open(cycle)) {
        if (file.isUnfinished() && cycle == newest() && file.scan() == FrameFile.NOTHING) {
          putAside(cycle, file.path());
        } else if (!file.hasWholeHeader()) {
          throw new QueueFailed(
              "%s cannot be opened: file %s has lost its header; restore the file from a copy, or move the queue's directory away"
                  .formatted(partition.name(), file.path().getFileName()),
              null);
        }
      }
    }
  }

  private void putAside(int cycle, Path file) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".unfinished");
    Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
    firstNumbers.remove(cycle);
    LOG.warn(
        "{}: file {} was never finished; renamed with the suffix .unfinished",
        partition.name(),
        file.getFileName());
  }
}
