/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.MissingMessages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes damage from a partition on an operator's request. The files from the damage on are kept
 * under another name, and new files with all readable messages replace them. The missing messages
 * leave a gap.
 *
 * <p>A note in the partition's directory requests it, and the next opening of the partition does it
 * before anything else. If the process dies meanwhile, the next start repeats it: each file is
 * either the old or the new one, and the note is deleted last.
 */
public final class SettingAside {

  public static final String NOTE = "set-aside";

  private static final Logger LOG = LoggerFactory.getLogger(SettingAside.class);
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("'set-aside-'uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final Partition partition;
  private final Path directory;
  private final CycleFiles files;

  public SettingAside(Partition partition) throws IOException {
    this.partition = partition;
    directory = partition.directory();
    files = new CycleFiles(partition);
  }

  /**
   * Writes the note.
   *
   * @param damaged the message at which reading stops
   * @param good everything before this message was stored safely
   * @param lostBefore the position behind the performed messages that are lost from the damage on;
   *     0 if none are
   * @return the messages that will be missing
   */
  public List<MissingMessages> request(long damaged, long good, long lostBefore)
      throws IOException {
    List<MissingMessages> missing = List.of(new MissingMessages(damaged, lostBefore - 1));
    if (!files.isEmpty()) {
      Walk walk = new Walk(cyclesFrom(damaged), damaged, good, lostBefore, null);
      walk.all();
      missing = walk.missing;
    }
    String aside =
        NAME.format(Instant.ofEpochMilli(partition.settings().host().wallMillis().getAsLong()));
    SmallFile.replace(directory.resolve(NOTE), "%s %d %d\n".formatted(aside, damaged, lostBefore));
    return missing;
  }

  /**
   * Sets the damage aside if that was requested.
   *
   * @return the position behind the performed messages that are lost; 0 if none are
   */
  long finish(Mark mark) throws IOException {
    Path note = directory.resolve(NOTE);
    if (!Files.exists(note)) {
      return 0;
    }
    String[] words = Files.readString(note).strip().split(" ");
    if (words.length < 3) {
      request(0, mark.position(), 0);
      words = Files.readString(note).strip().split(" ");
    }
    long lostBefore = Long.parseLong(words[2]);
    if (!files.isEmpty()) {
      setAside(directory.resolve(words[0]), Long.parseLong(words[1]), lostBefore, mark);
    }
    Files.delete(note);
    SmallFile.forceDirectory(directory);
    return lostBefore;
  }

  private void setAside(Path aside, long damaged, long lostBefore, Mark mark) throws IOException {
    Permissions.ownDirectory(aside);
    try (FreshFiles fresh = new FreshFiles(partition, files)) {
      List<Integer> cycles = cyclesFrom(damaged);
      Walk walk = new Walk(cycles, damaged, mark.position(), lostBefore, fresh);
      walk.all();
      fresh.finish(cycles);
      for (int cycle : cycles) {
        keep(files.path(cycle), aside);
      }
      SmallFile.forceDirectory(aside);
      SmallFile.forceDirectory(directory);
      fresh.replace(cycles);
      mark.proven(walk.expected);
      LOG.warn(
          "{}: set aside the damage from message {} on (missing={}); the damaged files are in {}",
          partition.name(),
          damaged,
          walk.missing,
          aside.getFileName());
    }
  }

  private List<Integer> cyclesFrom(long damaged) throws IOException {
    return files.cycles(files.wholeCycleOf(damaged) - 1, Integer.MAX_VALUE);
  }

  private static void keep(Path file, Path aside) throws IOException {
    Path kept = aside.resolve(file.getFileName());
    if (Files.exists(kept)) {
      return;
    }
    try {
      Files.createLink(kept, file);
    } catch (UnsupportedOperationException e) {
      Files.copy(file, kept);
    }
  }

  /** Keeps all good frames from the damaged file on, and collects the gaps between them. */
  private final class Walk extends FrameWalk {

    private final long damaged;
    private final long good;
    private final long lostBefore;
    private final List<MissingMessages> missing = new ArrayList<>();
    private long expected = FrameFile.NONE;
    private long forced;

    Walk(
        List<Integer> cycles,
        long damaged,
        long good,
        long lostBefore,
        @Nullable FreshFiles fresh) {
      super(files, cycles, fresh);
      this.damaged = damaged;
      this.good = good;
      this.lostBefore = lostBefore;
    }

    @Override
    void all() throws IOException {
      super.all();
      long safe = Math.max(Math.max(good, forced), lostBefore);
      boolean empty = expected == FrameFile.NONE;
      expected = Math.max(expected, Math.min(damaged, safe));
      if (expected < safe) {
        if (empty) {
          resume(expected);
        }
        lack(safe);
        resume(safe);
        expected = safe;
      }
    }

    @Override
    void take(FrameFile scan) {
      StoredFrame frame = scan.frame();
      if (lostBefore > 0 && frame.number() >= damaged) {
        frame.renumber(lostBefore + frame.number() - damaged);
      }
      long number = frame.number();
      forced = Math.max(forced, frame.forced());
      if (expected == FrameFile.NONE) {
        boolean lost = number > damaged && (damaged > 0 || scan.isBehindBreak());
        expected = lost ? damaged : number;
        if (lost) {
          resume(damaged); // so that it begins with the gap
        }
      }
      if (number < expected) {
        return;
      }
      boolean message = frame.kind() == StoredFrame.MESSAGE;
      if (number > expected && (message || scan.isBehindBreak())) {
        lack(number);
      }
      if (number > expected || !message) {
        resume(number);
      }
      if (message) {
        write(frame);
      }
      expected = message ? number + 1 : number;
    }

    private void lack(long next) {
      missing.add(new MissingMessages(expected, next - 1));
    }
  }
}
