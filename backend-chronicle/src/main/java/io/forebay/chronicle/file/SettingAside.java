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

  private final String name;
  private final Path directory;
  private final QueueSettings settings;
  private final CycleFiles files;

  public SettingAside(String name, Path directory, QueueSettings settings) throws IOException {
    this.name = name;
    this.directory = directory;
    this.settings = settings;
    files = new CycleFiles(name, directory, settings.host().roll());
  }

  /**
   * Writes the note.
   *
   * @param damaged the message at which reading stops
   * @param good everything before this message was stored safely
   * @return the messages that will be missing
   */
  public List<MissingMessages> request(long damaged, long good) throws IOException {
    Walk walk = new Walk(damaged, good, null);
    walk.all();
    String aside = NAME.format(Instant.ofEpochMilli(settings.host().wallMillis().getAsLong()));
    SmallFile.replace(directory.resolve(NOTE), "%s %d\n".formatted(aside, damaged));
    return walk.missing;
  }

  /** Sets the damage aside if that was requested. */
  void finish(Mark mark) throws IOException {
    Path note = directory.resolve(NOTE);
    if (!Files.exists(note)) {
      return;
    }
    String[] words = Files.readString(note).strip().split(" ");
    if (words.length < 2) {
      request(0, mark.position());
      words = Files.readString(note).strip().split(" ");
    }
    if (!files.isEmpty()) {
      setAside(directory.resolve(words[0]), Long.parseLong(words[1]), mark);
    }
    Files.delete(note);
    SmallFile.forceDirectory(directory);
  }

  private void setAside(Path aside, long damaged, Mark mark) throws IOException {
    FreshFiles.clear(directory);
    Permissions.ownDirectory(aside);
    try (FreshFiles fresh = new FreshFiles(directory, settings, files)) {
      Walk walk = new Walk(damaged, mark.position(), fresh);
      walk.all();
      fresh.finish(walk.cycles);
      for (int cycle : walk.cycles) {
        keep(files.path(cycle), aside);
      }
      SmallFile.forceDirectory(aside);
      SmallFile.forceDirectory(directory);
      for (int cycle : walk.cycles.reversed()) {
        fresh.replace(cycle);
      }
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

  /**
   * Iterates over all good frames from the damaged file on, in order, and collects the gaps between
   * them.
   */
  private final class Walk {

    private final long damaged;
    private final long good;
    private final List<Integer> cycles;
    private final List<MissingMessages> missing = new ArrayList<>();
    private final @Nullable FreshFiles fresh;
    private long expected = CycleFiles.EMPTY;
    private long forced;

    Walk(long damaged, long good, @Nullable FreshFiles fresh) throws IOException {
      this.damaged = damaged;
      this.good = good;
      this.fresh = fresh;
      cycles =
          files.isEmpty()
              ? List.of()
              : files.cycles(files.wholeCycleOf(damaged) - 1, Integer.MAX_VALUE);
    }

    void all() throws IOException {
      for (int cycle : cycles) {
        try (FrameScan scan = new FrameScan(files.path(cycle))) {
          while (scan.next() != FrameScan.NOTHING) {
            take(scan, cycle);
          }
        }
      }
      long safe = Math.max(good, forced);
      expected = Math.max(expected, Math.min(damaged, safe));
      if (expected < safe) {
        lack(safe);
        resume(safe, cycles.getLast());
        expected = safe;
      }
    }

    private void take(FrameScan scan, int cycle) {
      StoredFrame frame = scan.frame();
      long number = frame.number();
      forced = Math.max(forced, frame.forced());
      if (expected == CycleFiles.EMPTY) {
        boolean lost = number > damaged && (damaged > 0 || scan.isBehindBreak());
        expected = lost ? damaged : number;
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
