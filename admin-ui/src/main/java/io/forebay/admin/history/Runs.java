/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.admin.history.RunsFile.Line;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * When this instance ran, as its {@link RunsFile} has it. A start that no stop follows ended
 * uncleanly. A thread writes every second, from the start to the clean stop, that the instance is
 * alive.
 *
 * <p>Starts before all services, and stops after all of them. A failure is logged and prevents
 * nothing. Thread-safe.
 */
public final class Runs implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Runs.class);
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Duration RECENT = Duration.ofHours(1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** How long a stop waits for a write that is running: the disk may hang. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final RunsFile file;
  private final InstantSource clock;
  private final String instance;
  private final String boot;
  private final BackgroundTask beats;

  /** Held while the file is used. */
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
    file = new RunsFile(directory);
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
      file.createDirectory();
      List<Line> lines = file.read();
      Line last = lines.isEmpty() ? null : lines.getLast();
      if (last != null && last.what().equals(Line.STARTED)) {
        Instant seen = file.lastSeen(last.at(), now);
        lines.add(new Line(Line.ENDED, seen, last.boot(), last.instance()));
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
      lines.add(new Line(Line.STARTED, now, boot, instance));
      file.write(lines);
      restarts = restarts(lines);
    } catch (IOException e) {
      log.warn(
          "The file of starts and stops could not be read or written; charts lack restarts", e);
    }
  }

  private static List<Restart> restarts(List<Line> lines) {
    List<Restart> restarts = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      Line before = lines.get(i - 1);
      Line start = lines.get(i);
      if (start.what().equals(Line.STARTED) && !before.what().equals(Line.STARTED)) {
        boolean known = !before.boot().isEmpty() && !start.boot().isEmpty();
        restarts.add(
            new Restart(
                before.at(),
                start.at(),
                before.what().equals(Line.STOPPED),
                known ? !before.boot().equals(start.boot()) : null));
      }
    }
    return List.copyOf(restarts);
  }

  private void alive() throws IOException {
    files.lock();
    try {
      if (running) {
        file.writeAlive(clock.instant());
      }
    } finally {
      files.unlock();
    }
  }

  @Override
  public void stop() {
    beats.close(PATIENCE);
    running = false;
    if (!files.tryLock()) {
      log.warn(
          "The clean stop was not written: a write to {} has not returned within {} s; the next"
              + " start reports an unclean one",
          file.directory(),
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
      file.closeAlive();
      List<Line> lines = file.read();
      lines.add(new Line(Line.STOPPED, clock.instant(), boot, instance));
      file.write(lines);
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
