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
import java.util.OptionalLong;
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

  private final String name;
  private final Path directory;
  private final QueueSettings settings;
  private final CycleFiles files;

  public SettingAside(String name, Path directory, QueueSettings settings) throws IOException {
    this.name = name;
    this.directory = directory;
    this.settings = settings;
    files = new CycleFiles(name, directory, settings.host());
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
      Walk walk = new Walk(directory, damaged, good, lostBefore, null);
      walk.all();
      missing = walk.missing;
    }
    PrivateFiles.replace(
        directory.resolve(NOTE), "%s %d %d\n".formatted(unusedName(), damaged, lostBefore));
    return missing;
  }

  /** The clock may show the time of an earlier request again. */
  private String unusedName() {
    String name = NAME.format(Instant.ofEpochMilli(settings.host().wallMillis().getAsLong()));
    String unused = name;
    for (int i = 2; Files.exists(directory.resolve(unused)); i++) {
      unused = name + "-" + i;
    }
    return unused;
  }

  /**
   * Sets the damage aside if that was requested.
   *
   * @return the position behind the performed messages that are lost, 0 if none are; empty if
   *     nothing was requested
   */
  public OptionalLong finish(Mark mark) throws IOException {
    Path note = directory.resolve(NOTE);
    if (!Files.exists(note)) {
      return OptionalLong.empty();
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
    PrivateFiles.forceDirectory(directory);
    return OptionalLong.of(lostBefore);
  }

  private void setAside(Path aside, long damaged, long lostBefore, Mark mark) throws IOException {
    FreshFiles.clear(directory);
    PrivateFiles.ownDirectory(aside);
    try (FreshFiles fresh = new FreshFiles(directory, settings, files)) {
      Walk walk = new Walk(aside, damaged, mark.position(), lostBefore, fresh);
      walk.all();
      fresh.finish(walk.cycles);
      for (int cycle : walk.cycles) {
        keep(files.path(cycle), aside);
      }
      PrivateFiles.forceDirectory(aside);
      PrivateFiles.forceDirectory(directory);
      fresh.replace(walk.cycles);
      mark.proven(walk.expected);
      LOG.warn(
          "{}: set aside the damage from message {} on (missing={}); the damaged files are in {}",
          name,
          damaged,
          walk.missing,
          aside.getFileName());
    }
    FreshFiles.clear(directory);
  }

  /** The same file under a second name: what replaces it or deletes it leaves this one. */
  private static void keep(Path file, Path aside) throws IOException {
    Path kept = aside.resolve(file.getFileName());
    if (!Files.exists(kept)) {
      Files.createLink(kept, file);
    }
  }

  /**
   * Iterates over all good frames from the damaged file on, in order, and collects the gaps between
   * them.
   */
  private final class Walk {

    private final Path originals;
    private final long damaged;
    private final long good;
    private final long lostBefore;
    private final List<Integer> cycles;
    private final List<MissingMessages> missing = new ArrayList<>();
    private final @Nullable FreshFiles fresh;
    private long expected = CycleFiles.EMPTY;
    private long forced;

    /**
     * @param originals has the files that an interrupted attempt may have replaced
     */
    Walk(Path originals, long damaged, long good, long lostBefore, @Nullable FreshFiles fresh)
        throws IOException {
      this.originals = originals;
      this.damaged = damaged;
      this.good = good;
      this.lostBefore = lostBefore;
      this.fresh = fresh;
      cycles =
          files.isEmpty()
              ? List.of()
              : files.cycles(files.wholeCycleOf(damaged) - 1, Integer.MAX_VALUE);
    }

    void all() throws IOException {
      for (int cycle : cycles) {
        try (FrameScan scan = new FrameScan(original(cycle), settings.host().read())) {
          while (scan.next() != FrameScan.NOTHING) {
            take(scan, cycle);
          }
        }
      }
      long safe = Math.max(Math.max(good, forced), lostBefore);
      boolean empty = expected == CycleFiles.EMPTY;
      expected = Math.max(expected, Math.min(damaged, safe));
      if (expected < safe) {
        if (empty) {
          resume(expected, cycles.getLast());
        }
        lack(safe);
        resume(safe, cycles.getLast());
        expected = safe;
      }
    }

    private Path original(int cycle) {
      Path original = originals.resolve(files.path(cycle).getFileName());
      return Files.exists(original) ? original : files.path(cycle);
    }

    private void take(FrameScan scan, int cycle) throws IOException {
      StoredFrame frame = scan.frame();
      if (lostBefore > 0 && frame.number() >= damaged) {
        frame.renumber(lostBefore + frame.number() - damaged);
      }
      long number = frame.number();
      forced = Math.max(forced, frame.forced());
      if (expected == CycleFiles.EMPTY) {
        boolean lost = number > damaged && (damaged > 0 || scan.isBehindBreak());
        expected = lost ? damaged : number;
        if (lost) {
          resume(damaged, cycle); // so that it begins with the gap
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
        resume(number, cycle);
      }
      if (message && fresh != null) {
        fresh.of(cycle).write(frame);
      }
      expected = message ? number + 1 : number;
    }

    private void lack(long next) {
      missing.add(new MissingMessages(expected, next - 1));
    }

    private void resume(long number, int cycle) {
      if (fresh != null) {
        fresh.of(cycle).resume(number);
      }
    }
  }
}
