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

  Healing(String name, Path directory, QueueSettings settings) throws IOException {
    this.name = name;
    this.directory = directory;
    this.settings = settings;
    FreshFiles.clear(directory);
    files = new CycleFiles(name, directory, settings.host());
  }

  /**
   * Rewrites the file that contains the marked message, and all later files, and moves the mark to
   * their end.
   *
   * @return what is wrong with the files, or null if they are good now
   */
  @Nullable String heal(Mark mark) throws IOException {
    long good = mark.position();
    if (files.isEmpty()) {
      return good == 0 ? null : lost(good);
    }
    List<Integer> cycles = files.cycles(files.wholeCycleOf(good) - 1, Integer.MAX_VALUE);
    Survey survey = survey(cycles, good);
    String unknown = survey.unknown;
    if (unknown != null) {
      checkKnown(cycles.size(), survey);
      return unknown;
    }
    long safe = Math.max(good, survey.forced);
    if (survey.headLost || survey.end < safe || (survey.foundNothing() && good > 0)) {
      return lost(safe);
    }
    if (!hasRoom(cycles)) {
      return "no room on the disk to rewrite the end of the queue (needed=%,d bytes)"
          .formatted(bytes(cycles));
    }
    if (!rewrite(cycles, survey)) {
      return "a sector that the disk does not always read";
    }
    if (survey.behind > 0) {
      LOG.warn(
          "{}: cut at message {}: the host stopped while {} messages behind it were being written;"
              + " none of them was acknowledged as stored on disk",
          name,
          survey.end,
          survey.behind);
    } else {
      LOG.info("{}: was not closed; everything from message {} on was rewritten", name, good);
    }
    mark.proven(survey.end);
    return null;
  }

  private static String lost(long safe) {
    return "a hole, but messages before %,d were stored safely".formatted(safe);
  }

  private void checkKnown(int count, Survey survey) {
    if (survey.foundNothing() && FrameScan.UNKNOWN.equals(survey.unknown)) {
      throw new QueueFailed(
          "%s cannot be opened: %s has %d files but no message that this version can read; nothing was changed; start the version that wrote them or restore the right files; to give up their messages, create an empty file %s there"
              .formatted(name, directory, count, SettingAside.NOTE),
          null);
    }
  }

  private Survey survey(List<Integer> cycles, long good) throws IOException {
    Survey survey = new Survey(good);
    for (int cycle : cycles) {
      try (FrameScan scan = files.scan(cycle)) {
        while (scan.next() != FrameScan.NOTHING) {
          survey.add(scan);
        }
        survey.unknown = survey.unknown == null ? scan.unknown() : survey.unknown;
      }
    }
    return survey;
  }

  private boolean hasRoom(List<Integer> cycles) throws IOException {
    return settings.host().space().measure().usable() > bytes(cycles);
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
  private boolean rewrite(List<Integer> cycles, Survey survey) throws IOException {
    boolean whole;
    try (FreshFiles fresh = new FreshFiles(directory, settings, files)) {
      Survey again = new Survey(survey.good);
      for (int cycle : cycles) {
        try (FrameScan scan = files.scan(cycle)) {
          while (again.taken + again.behind < survey.taken && scan.next() != FrameScan.NOTHING) {
            again.add(scan);
            fresh.of(cycle).write(scan.frame());
          }
        }
      }
      whole = again.taken == survey.taken && again.end == survey.end;
      if (whole) {
        fresh.finish(cycles);
        fresh.replace(cycles);
      }
    }
    FreshFiles.clear(directory);
    return whole;
  }

  /** The frames that follow each other, starting with the file that has message {@code good}. */
  private static final class Survey {
    private final long good;

    /** The number of the first missing message. */
    private long end;

    /** How many frames follow each other before {@link #end}. */
    private long taken;

    /** How many frames stand behind the first missing one. */
    private long behind;

    private long forced;

    /** Whether something before the first frame is lost. */
    private boolean headLost;

    /** What is unknown there, see {@link FrameScan#unknown}; null if nothing is. */
    private @Nullable String unknown;

    Survey(long good) {
      this.good = good;
      end = good;
    }

    boolean foundNothing() {
      return taken + behind == 0;
    }

    void add(FrameScan scan) throws IOException {
      boolean next = isNext(scan);
      headLost |= good > 0 && taken == 0 && (!next || scan.isBehindBreak());
      forced = Math.max(forced, scan.frame().forced());
      if (next && behind == 0) {
        taken++;
        end = scan.following();
        unknown = null; // what it follows was cut before, and never acknowledged
      } else {
        behind++;
        unknown = unknown == null ? scan.unknown() : unknown;
      }
    }

    /** Whether a frame can be the next one, with nothing lost before it. */
    private boolean isNext(FrameScan scan) throws IOException {
      boolean message = scan.frame().kind() == StoredFrame.MESSAGE;
      long number = scan.frame().number();
      return number == end
          || (!scan.isBehindBreak()
              && (message ? taken == 0 && number < good : taken == 0 || number > end));
    }
  }
}
