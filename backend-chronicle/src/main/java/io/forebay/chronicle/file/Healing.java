/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

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
 * everything before it was forced. In that case the files are damaged and stay unchanged.
 */
final class Healing {

  private static final Logger LOG = LoggerFactory.getLogger(Healing.class);

  private final Partition partition;
  private final CycleFiles files;

  /**
   * @param end the number of the first missing message
   * @param damage what is wrong there, or null if the files are good now
   */
  record Outcome(long end, @Nullable String damage) {}

  Healing(Partition partition) throws IOException {
    this.partition = partition;
    files = new CycleFiles(partition);
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
    Sequence survey = new Sequence(cycles, good, null);
    survey.all();
    long safe = Math.max(good, survey.forced);
    if (survey.headLost || survey.expected() < safe) {
      return lost(survey.expected(), safe);
    }
    long needed = bytes(cycles);
    if (partition.settings().host().space().usable() <= needed) {
      return new Outcome(
          survey.expected(),
          "no room on the disk to rewrite the end of the queue (needed=%,d bytes)"
              .formatted(needed));
    }
    try (FreshFiles fresh = new FreshFiles(partition, files)) {
      new Sequence(cycles, good, fresh).all();
      fresh.finish(cycles);
      fresh.replace(cycles);
    }
    if (survey.behind > 0) {
      LOG.warn(
          "{}: cut at message {}: the host stopped while {} messages behind it were being written;"
              + " none of them was acknowledged as stored on disk",
          partition.name(),
          survey.expected(),
          survey.behind);
    } else {
      LOG.info(
          "{}: was not closed; everything from message {} on was rewritten",
          partition.name(),
          good);
    }
    return new Outcome(survey.expected(), null);
  }

  private static Outcome lost(long end, long safe) {
    return new Outcome(end, "a hole, but messages before %,d were stored safely".formatted(safe));
  }

  private long bytes(List<Integer> cycles) throws IOException {
    long sum = 0;
    for (int cycle : cycles) {
      Path file = files.path(cycle);
      sum += Blocks.allocated(file).orElse(Files.size(file));
    }
    return sum;
  }

  /** Keeps the frames that follow each other, from the file that has a given message. */
  private final class Sequence extends FrameWalk {
    private static final long EMPTY = -1;
    private final long good;
    private long expected = EMPTY;
    private boolean ended;
    private long forced;
    private int behind;
    private boolean headLost;

    Sequence(List<Integer> cycles, long good, @Nullable FreshFiles fresh) {
      super(files, cycles, fresh);
      this.good = good;
    }

    /** The number of the next message. */
    long expected() {
      return expected == EMPTY ? good : expected;
    }

    @Override
    void take(FrameFile scan) {
      StoredFrame frame = scan.frame();
      headLost |= good > 0 && expected == EMPTY && !follows(scan);
      forced = Math.max(forced, frame.forced());
      ended |= !follows(scan);
      if (ended) {
        behind++;
      } else {
        expected = frame.kind() == StoredFrame.MESSAGE ? frame.number() + 1 : frame.number();
        write(frame);
      }
    }

    /** Whether a frame can be the next one, with nothing lost before it. */
    private boolean follows(FrameFile scan) {
      boolean message = scan.frame().kind() == StoredFrame.MESSAGE;
      boolean first = expected == EMPTY;
      long number = scan.frame().number();
      return number == expected()
          || (!scan.isBehindBreak()
              && (message ? first && number < good : first || number > expected));
    }
  }
}
