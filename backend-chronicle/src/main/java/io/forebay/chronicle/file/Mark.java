/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The message up to which a partition is known to be good: everything before it was checked and
 * forced to disk. Opening the partition reads everything behind it. The file also stores whether
 * the partition is open, at which level, and since which boot of the host.
 */
public final class Mark {

  public static final String FILE = "mark";

  private static final Logger LOG = LoggerFactory.getLogger(Mark.class);
  private static final String CLOSED = "closed";
  private static final String OPEN = "open";

  private final Path file;
  private long position;
  private final String left;
  private String state;
  private long saved;

  public Mark(Path directory) throws IOException {
    file = directory.resolve(FILE);
    List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of("0");
    boolean readable = !lines.isEmpty() && lines.getFirst().matches("[0-9]{1,18}");
    if (!readable) {
      LOG.warn("{} cannot be read; the partition is checked from its first message", file);
    }
    position = readable ? Long.parseLong(lines.getFirst()) : 0;
    left = readable && lines.size() > 1 ? lines.get(1) : "";
    state = left;
    saved = position;
  }

  /** The mark as it was when the partition was opened. */
  public long position() {
    return position;
  }

  /** Whether the partition was not closed and the host has been restarted since. */
  boolean hostWasRestarted(String boot) {
    return left.startsWith(OPEN) && (boot.isEmpty() || !left.endsWith(" " + boot));
  }

  /** Whether messages behind the mark may be missing without damage. */
  boolean mayEndEarly(String boot) {
    return hostWasRestarted(boot) || left.startsWith(OPEN + " " + Level.DISK + " ");
  }

  /**
   * Records, before the partition is opened, that everything before this message is good and
   * forced.
   */
  synchronized void proven(long number) throws IOException {
    save(number);
    position = number;
  }

  /** Records that the partition will be appended to; everything before this message is good. */
  public synchronized void open(long number, Level level, String boot) throws IOException {
    position = number;
    String next = "%s %s %s".formatted(OPEN, level, boot);
    if (number > saved || !state.equals(next)) {
      state = next;
      replace(number);
    }
  }

  /** Advances the mark, for the next start. */
  public synchronized void save(long number) throws IOException {
    if (number > saved) {
      replace(number);
    }
  }

  /** Records a clean close: there is nothing behind this message. */
  public synchronized void close(long number) throws IOException {
    if (number > saved || !state.equals(CLOSED)) {
      state = CLOSED;
      replace(number);
    }
  }

  private void replace(long number) throws IOException {
    PrivateFiles.replace(file, state.isEmpty() ? number + "\n" : number + "\n" + state + "\n");
    saved = number;
  }
}
