/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rewrites the last files of a partition with all good frames up to the first missing one. After a
 * power failure any page that was not forced may be missing or outdated. A reader notices this in
 * frames, but perhaps not in Chronicle's header and index. A new file has no such pages.
 *
 * <p>Nothing behind the first missing frame was acknowledged, unless a frame there states that
 * everything before it was forced. In that case the files are damaged and stay unchanged. So they
 * do if something stands there that no loss of power explains: another version may have written it.
 *
 * <p>The process may die at any moment: from the end on, first the files with nothing to keep are
 * deleted, and then the old files replaced one by one, each by a file with the same messages.
 */
final class Healing {

  private static final Logger LOG = LoggerFactory.getLogger(Healing.class);

  private final String name;
  private final Path directory;
  private final QueueSettings settings;
  private final CycleFiles files;

  /**
   * @param end the number of the first missing message
   * @param damage what is wrong there, or null if the files are good now
   */
  record Outcome(long end, @Nullable String damage) {}

  /**
   * The result of scanning all frames.
   *
   * @param taken how many frames follow each other before {@code end}
   * @param behind how many frames stand behind the first missing one
   * @param unknown what is unknown there, see {@link FrameScan#unknown}; null if nothing is
   */
  private record Survey(
      long end,
      long taken,
      int lastCycle,
      long forced,
      int behind,
      boolean headLost,
      @Nullable String unknown) {

    boolean foundNothing() {
      return lastCycle == CycleFiles.NO_CYCLE && behind == 0;
    }
  }

  Healing(String name, Path directory, QueueSettings settings) throws IOException {
    this.name = name;
    this.directory = directory;
    this.settings = settings;
    FreshFiles.clear(directory);
    files = new CycleFiles(name, directory, settings.host());
  }

  /**
   * Rewrites the file that contains message {@code good}, and all later files.
   *
   * @param good everything before this message was stored safely
   */
  Outcome heal(long good) throws IOException {
    if (files.isEmpty()) {
      return good == 0 ? new Outcome(0, null) : lost(0, good);
    }
    List<Integer> cycles = files.cycles(files.wholeCycleOf(good) - 1, Integer.MAX_VALUE);
    Survey survey = survey(cycles, good);
    String unknown = survey.unknown();
    if (unknown != null) {
      checkKnown(cycles.size(), survey);
      return new Outcome(survey.end(), unknown);
    }
    long safe = Math.max(good, survey.forced());
    if (survey.headLost() || survey.end() < safe || (survey.foundNothing() && good > 0)) {
      return lost(survey.end(), safe);
    }
    if (!hasRoom(cycles)) {
      return new Outcome(
          survey.end(),
          "no room on the disk to rewrite the end of the queue (needed=%,d bytes)"
              .formatted(bytes(cycles)));
    }
    if (!rewrite(cycles, survey, good)) {
      return new Outcome(survey.end(), "a sector that the disk does not always read");
    }
    if (survey.behind() > 0) {
      LOG.warn(
          "{}: cut at message {}: the host stopped while {} messages behind it were being written;"
              + " none of them was acknowledged as stored on disk",
          name,
          survey.end(),
          survey.behind());
    } else {
      LOG.info("{}: was not closed; everything from message {} on was rewritten", name, good);
    }
    return new Outcome(survey.end(), null);
  }

  private static Outcome lost(long end, long safe) {
    return new Outcome(end, "a hole, but messages before %,d were stored safely".formatted(safe));
  }

  private void checkKnown(int count, Survey survey) {
    if (survey.foundNothing() && FrameScan.UNKNOWN.equals(survey.unknown())) {
      throw new QueueFailed(
          "%s cannot be opened: %s has %d files but no message that this version can read; nothing was changed; start the version that wrote them or restore the right files; to give up their messages, create an empty file %s there"
              .formatted(name, directory, count, SettingAside.NOTE),
          null);
    }
  }

  private Survey survey(List<Integer> cycles, long good) throws IOException {
    Sequence sequence = new Sequence(good);
    int lastCycle = CycleFiles.NO_CYCLE;
    long forced = 0;
    int behind = 0;
    boolean headLost = false;
    String unknown = null;
    for (int cycle : cycles) {
      try (FrameScan scan = files.scan(cycle)) {
        while (scan.next() != FrameScan.NOTHING) {
          headLost |= good > 0 && sequence.isEmpty() && lacksHead(sequence, scan);
          forced = Math.max(forced, scan.frame().forced());
          if (sequence.takes(scan)) {
            lastCycle = cycle;
            unknown = null; // what it follows was cut before, and never acknowledged
          } else {
            behind++;
            unknown = unknown == null ? scan.unknown() : unknown;
          }
        }
        unknown = unknown == null ? scan.unknown() : unknown;
      }
    }
    return new Survey(
        sequence.expected(), sequence.taken, lastCycle, forced, behind, headLost, unknown);
  }

  /** Whether something is lost before the first good frame. */
  private static boolean lacksHead(Sequence sequence, FrameScan scan) throws IOException {
    return !sequence.canTake(scan)
        || scan.unknown() != null
        || (scan.frame().kind() == StoredFrame.MESSAGE && scan.isBehindBreak());
  }

  private boolean hasRoom(List<Integer> cycles) throws IOException {
    return settings.host().space().usable() > bytes(cycles);
  }

  private long bytes(List<Integer> cycles) throws IOException {
    long sum = 0;
    for (int cycle : cycles) {
      Path file = files.path(cycle);
      sum += Blocks.allocated(file).orElse(Files.size(file));
    }
    return sum;
  }

  /** Returns false, and changes nothing, unless all frames of the survey were copied. */
  private boolean rewrite(List<Integer> cycles, Survey survey, long good) throws IOException {
    boolean whole;
    try (FreshFiles fresh = new FreshFiles(directory, settings, files)) {
      Sequence sequence = new Sequence(good);
      for (int cycle : cycles) {
        if (cycle <= survey.lastCycle()) {
          copy(cycle, sequence, fresh.of(cycle));
        }
      }
      whole = sequence.taken == survey.taken() && sequence.expected() == survey.end();
      if (whole) {
        fresh.finish(cycles);
        fresh.replace(cycles);
      }
    }
    FreshFiles.clear(directory);
    return whole;
  }

  private void copy(int cycle, Sequence sequence, FrameWriter writer) throws IOException {
    try (FrameScan scan = files.scan(cycle)) {
      while (scan.next() != FrameScan.NOTHING && sequence.takes(scan)) {
        writer.write(scan.frame());
      }
    }
  }

  /** Tracks which frames follow each other, starting with the file that has a given message. */
  private static final class Sequence {
    private static final long EMPTY = -1;
    private final long good;
    private long expected = EMPTY;
    private long taken;
    private boolean ended;

    Sequence(long good) {
      this.good = good;
    }

    boolean isEmpty() {
      return expected == EMPTY;
    }

    /** The number of the next message. */
    long expected() {
      return isEmpty() ? good : expected;
    }

    /** Whether a frame can be the next one, with nothing lost before it. */
    boolean canTake(FrameScan scan) throws IOException {
      boolean message = scan.frame().kind() == StoredFrame.MESSAGE;
      long number = scan.frame().number();
      return number == expected()
          || (!scan.isBehindBreak()
              && (message ? isEmpty() && number < good : isEmpty() || number > expected));
    }

    /** Whether a frame is the next one. Always false after the first frame that is not. */
    boolean takes(FrameScan scan) throws IOException {
      ended |= !canTake(scan);
      if (!ended) {
        taken++;
        expected = scan.following();
      }
      return !ended;
    }
  }
}
