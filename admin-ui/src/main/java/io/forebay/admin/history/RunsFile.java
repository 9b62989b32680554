/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.capacity.Figure;
import io.forebay.capacity.HistoryFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code runs} of the history directory, which has a line for each start and each end of
 * an instance and is forced to disk, and the file {@code alive}, which has the present second of
 * the running instance. That one is not forced: it survives a kill, and a loss of power leaves an
 * older one. Not thread-safe.
 */
final class RunsFile {

  private static final Logger log = LoggerFactory.getLogger(RunsFile.class);
  private static final String NAME = "runs";
  private static final int MOST = 500;

  private final HistoryDirectory directory;
  private @Nullable FileChannel alive;

  RunsFile(HistoryDirectory directory) {
    this.directory = directory;
  }

  /**
   * What happened, when, in which boot of the host, and to which instance.
   *
   * @param instance empty in lines of older versions
   */
  record Line(String what, Instant at, String boot, String instance) {

    static final String STARTED = "started";
    static final String STOPPED = "stopped";
    static final String ENDED = "ended-uncleanly";

    private static Line of(String text) {
      String[] words = text.split(" ", -1);
      return new Line(
          words[0], Instant.parse(words[1]), words[2], words.length > 3 ? words[3] : "");
    }

    @Override
    public String toString() {
      return "%s %s %s %s\n".formatted(what, at, boot, instance);
    }
  }

  Path directory() {
    return directory.path();
  }

  void createDirectory() throws IOException {
    directory.create();
  }

  /** The lines, the oldest first; none if there is no file, or if it is damaged. */
  List<Line> read() throws IOException {
    Figure<HistoryFile.Saved> saved = file().load();
    if (saved instanceof Figure.Unknown<HistoryFile.Saved>(String reason) && directory.has(NAME)) {
      log.warn("{}", reason);
    }
    List<Line> lines = new ArrayList<>();
    saved
        .known()
        .map(it -> new String(it.history(), StandardCharsets.UTF_8))
        .ifPresent(text -> text.lines().map(Line::of).forEach(lines::add));
    return lines;
  }

  /** Replaces the file by the last 500 lines; after a crash it has the old or the new lines. */
  void write(List<Line> lines) throws IOException {
    StringBuilder text = new StringBuilder();
    lines.subList(Math.max(0, lines.size() - MOST), lines.size()).forEach(text::append);
    file().save(new HistoryFile.Saved(0, text.toString().getBytes(StandardCharsets.UTF_8)));
  }

  private HistoryFile file() {
    return new HistoryFile(directory.path().resolve(NAME));
  }

  /** The last second in which an instance certainly ran that started then. */
  Instant lastSeen(Instant started, Instant now) throws IOException {
    Instant seen = started;
    Path path = alivePath();
    if (Files.exists(path) && Files.size(path) == Long.BYTES) {
      seen = Instant.ofEpochSecond(ByteBuffer.wrap(Files.readAllBytes(path)).getLong());
    }
    return seen.isBefore(started) || seen.isAfter(now) ? started : seen;
  }

  void writeAlive(Instant now) throws IOException {
    FileChannel open = alive;
    if (open == null) {
      directory.create();
      open = FileChannel.open(alivePath(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      alive = open;
    }
    open.write(ByteBuffer.allocate(Long.BYTES).putLong(now.getEpochSecond()).flip(), 0);
  }

  void closeAlive() throws IOException {
    if (alive != null) {
      alive.close();
      alive = null;
    }
  }

  private Path alivePath() {
    return directory.path().resolve("alive");
  }
}
