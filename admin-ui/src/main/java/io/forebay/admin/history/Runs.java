/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.capacity.Figure;
import io.forebay.capacity.HistoryFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * When this instance ran. The file {@code runs} has a line for each start and for each clean stop,
 * forced to disk; a start that no stop follows ended uncleanly. The file {@code alive} has the
 * present second and is not forced: it survives a kill, and a loss of power leaves an older one. A
 * thread writes it from the start to the clean stop.
 *
 * <p>Starts before all services, and stops after all of them. A failure is logged and prevents
 * nothing. Thread-safe.
 */
public final class Runs implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Runs.class);
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final String STARTED = "started";
  private static final String STOPPED = "stopped";
  private static final String ENDED = "ended-uncleanly";
  private static final int MOST = 500;
  private static final Duration RECENT = Duration.ofHours(1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** How long a stop waits for a write that is running: the disk may hang. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final HistoryDirectory directory;
  private final InstantSource clock;
  private final String instance;
  private final String boot;
  private final BackgroundTask beats;
  private @Nullable FileChannel alive;

  /** Held while files are read or written. */
  private final ReentrantLock files = new ReentrantLock();

  private volatile boolean running;
  private volatile List<Restart> restarts = List.of();
  private volatile Set<String> predecessors = Set.of();

  /**
   * @param instance the name of this instance, which has no space
   * @param boot identifies the current boot of the host; empty if unknown
   */
  Runs(
      HistoryDirectory directory,
      String instance,
      InstantSource clock,
      String boot,
      Duration beat) {
    this.directory = directory;
    this.instance = instance;
    this.clock = clock;
    this.boot = boot;
    beats =
        new BackgroundTask(
            "forebay-alive",
            beat,
            new Outage(
                log,
                "Writing that this instance is alive",
                "it is retried every second; the time of an unclean stop is less exact meanwhile"),
            this::alive);
  }

  public static Runs of(HistoryDirectory directory, String instance, InstantSource clock) {
    String boot = "";
    try {
      boot = Files.isReadable(BOOT) ? Files.readString(BOOT).strip() : "";
    } catch (IOException e) {
      log.warn("Boot id unknown: {} cannot be read", BOOT, e);
    }
    return new Runs(directory, instance, clock, boot, SECOND);
  }

  /**
   * The restarts that are known, the oldest first; up to 500 lines of starts and stops are kept.
   */
  public List<Restart> restarts() {
    return restarts;
  }

  /**
   * The names of the processes that ran with this data directory in the hour before this start.
   * Only one process at a time can use the directory; on Kafka nothing enforces that.
   */
  public Set<String> predecessors() {
    return predecessors;
  }

  /** Those whose time between stop and start overlaps [from, to]. */
  public List<Restart> restarts(Instant from, Instant to) {
    return restarts.stream()
        .filter(it -> !it.startedAt().isBefore(from) && !it.stoppedAt().isAfter(to))
        .toList();
  }

  /**
   * A line of the file: what happened, when, in which boot of the host, and to which instance.
   *
   * @param instance empty in lines of older versions
   */
  private record Line(String what, Instant at, String boot, String instance) {

    static Line of(String text) {
      String[] words = text.split(" ", -1);
      return new Line(
          words[0], Instant.parse(words[1]), words[2], words.length > 3 ? words[3] : "");
    }

    @Override
    public String toString() {
      return "%s %s %s %s\n".formatted(what, at, boot, instance);
    }
  }

  @Override
  public void start() {
    running = true;
    files.lock();
    try {
      record();
    } finally {
      files.unlock();
    }
    beats.start();
  }

  /** Adds this start to the file, after the end of the run before. */
  private void record() {
    Instant now = clock.instant();
    try {
      directory.create();
      List<Line> lines = read();
      Line last = lines.isEmpty() ? null : lines.getLast();
      if (last != null && last.what().equals(STARTED)) {
        Instant seen = lastSeen(last.at(), now);
        lines.add(new Line(ENDED, seen, last.boot(), last.instance()));
        log.warn(
            "Previous run ended without a clean stop: last seen at {}, started at {}",
            seen,
            last.at());
      }
      predecessors =
          lines.stream()
              .filter(it -> it.at().isAfter(now.minus(RECENT)))
              .map(Line::instance)
              .filter(it -> !it.isEmpty() && !it.equals(instance))
              .collect(Collectors.toUnmodifiableSet());
      lines.add(new Line(STARTED, now, boot, instance));
      write(lines.subList(Math.max(0, lines.size() - MOST), lines.size()));
      restarts = restarts(lines);
    } catch (IOException e) {
      log.warn(
          "The file of starts and stops could not be read or written; charts lack restarts", e);
    }
  }

  private List<Line> read() throws IOException {
    Figure<HistoryFile.Saved> saved = file().load();
    if (saved instanceof Figure.Unknown<HistoryFile.Saved>(String reason)
        && directory.has("runs")) {
      log.warn("{}", reason);
    }
    List<Line> lines = new ArrayList<>();
    saved
        .known()
        .map(it -> new String(it.history(), StandardCharsets.UTF_8))
        .ifPresent(text -> text.lines().map(Line::of).forEach(lines::add));
    return lines;
  }

  private void write(List<Line> lines) throws IOException {
    StringBuilder text = new StringBuilder();
    lines.forEach(text::append);
    file().save(new HistoryFile.Saved(0, text.toString().getBytes(StandardCharsets.UTF_8)));
  }

  private HistoryFile file() {
    return new HistoryFile(directory.path().resolve("runs"));
  }

  /** The last second in which the process certainly ran. */
  private Instant lastSeen(Instant started, Instant now) throws IOException {
    Instant seen = started;
    Path path = alivePath();
    if (Files.exists(path) && Files.size(path) == Long.BYTES) {
      seen = Instant.ofEpochSecond(ByteBuffer.wrap(Files.readAllBytes(path)).getLong());
    }
    return seen.isBefore(started) || seen.isAfter(now) ? started : seen;
  }

  private Path alivePath() {
    return directory.path().resolve("alive");
  }

  private static List<Restart> restarts(List<Line> lines) {
    List<Restart> restarts = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      Line before = lines.get(i - 1);
      Line start = lines.get(i);
      if (start.what().equals(STARTED) && !before.what().equals(STARTED)) {
        boolean known = !before.boot().isEmpty() && !start.boot().isEmpty();
        restarts.add(
            new Restart(
                before.at(),
                start.at(),
                before.what().equals(STOPPED),
                known ? !before.boot().equals(start.boot()) : null));
      }
    }
    return List.copyOf(restarts);
  }

  private void alive() throws IOException {
    files.lock();
    try {
      if (running) {
        writeAlive();
      }
    } finally {
      files.unlock();
    }
  }

  private void writeAlive() throws IOException {
    Instant now = clock.instant();
    FileChannel open = alive;
    if (open == null) {
      directory.create();
      open = FileChannel.open(alivePath(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      alive = open;
    }
    open.write(ByteBuffer.allocate(Long.BYTES).putLong(now.getEpochSecond()).flip(), 0);
  }

  @Override
  public void stop() {
    beats.close(PATIENCE);
    running = false;
    if (!files.tryLock()) {
      log.warn(
          "The clean stop was not written: a write to {} has not returned within {} s; the next"
              + " start reports an unclean one",
          directory.path(),
          PATIENCE.toSeconds());
      return;
    }
    try {
      end();
    } finally {
      files.unlock();
    }
  }

  private void end() {
    try {
      if (alive != null) {
        alive.close();
        alive = null;
      }
      List<Line> lines = read();
      lines.add(new Line(STOPPED, clock.instant(), boot, instance));
      write(lines);
    } catch (IOException e) {
      log.warn("The clean stop could not be written; the next start reports an unclean one", e);
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Starts first and stops last. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
