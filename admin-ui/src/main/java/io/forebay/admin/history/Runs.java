/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;

/**
 * When this instance ran. The file {@code runs} of the data directory has a line for each of the
 * last 100 runs; the time of its last change is the last second of the present one. A start that
 * finds a run without an end followed an unclean stop.
 *
 * <p>Starts before all services, and stops after all of them. A failure is logged and prevents
 * nothing. Thread-safe.
 */
public final class Runs implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Runs.class);
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Duration RECENT = Duration.ofHours(1);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int MOST = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Path directory;
  private final InstantSource clock;
  private final String instance;
  private final String boot;
  private final BackgroundTask beats;
  private volatile boolean running;
  private volatile List<Restart> restarts = List.of();
  private volatile Set<String> predecessors = Set.of();

  /**
   * A run of a process.
   *
   * @param start when it accepted its first call; before that, when it was started
   * @param end null while it runs
   * @param clean whether it stopped cleanly
   * @param boot identifies the boot of the host; empty if unknown
   */
  private record Run(
      Instant start, @Nullable Instant end, boolean clean, String boot, String instance) {

    static Run of(String line) {
      String[] words = line.split(" ", -1);
      Instant end = words[1].isEmpty() ? null : Instant.parse(words[1]);
      return new Run(
          Instant.parse(words[0]), end, Boolean.parseBoolean(words[2]), words[3], words[4]);
    }

    Run begun(Instant at) {
      return new Run(at, end, clean, boot, instance);
    }

    Run ended(Instant at, boolean isClean) {
      return new Run(start, at, isClean, boot, instance);
    }

    String line() {
      return "%s %s %s %s %s\n".formatted(start, end == null ? "" : end, clean, boot, instance);
    }
  }

  /**
   * @param directory created if it does not exist
   * @param instance the name of this instance, which has no space
   * @param boot identifies the current boot of the host; empty if unknown
   */
  Runs(Path directory, String instance, InstantSource clock, String boot, Duration beat) {
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

  public static Runs of(Path directory, String instance, InstantSource clock) {
    String boot = "";
    try {
      boot = Files.isReadable(BOOT) ? Files.readString(BOOT).strip() : "";
    } catch (IOException e) {
      log.warn("Boot id unknown: {} cannot be read", BOOT, e);
    }
    return new Runs(directory, instance, clock, boot, SECOND);
  }

  /** The restarts that are known, the oldest first. */
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

  @Override
  public void start() {
    running = true;
    try {
      DurableFiles.createDirectories(directory, DurableFiles.directoryOfOwner());
      record();
    } catch (IOException | RuntimeException e) {
      log.warn("The file {} could not be read or written", runs(), e);
    }
    beats.start();
  }

  /** Adds this start to the file, after the end of the run before. */
  private void record() throws IOException {
    Instant now = clock.instant();
    List<Run> known = read();
    if (!known.isEmpty() && known.getLast().end() == null) {
      Run last = known.removeLast();
      Instant seen = lastSeen(last.start(), now);
      known.add(last.ended(seen, false));
      log.warn(
          "Previous run ended without a clean stop: last seen at {}, started at {}",
          seen,
          last.start());
    }
    predecessors =
        known.stream()
            .filter(it -> it.end() != null && it.end().isAfter(now.minus(RECENT)))
            .map(Run::instance)
            .filter(it -> !it.equals(instance))
            .collect(Collectors.toUnmodifiableSet());
    known.add(new Run(now, null, false, boot, instance));
    restarts = restarts(known);
    write(known.subList(Math.max(0, known.size() - MOST), known.size()));
  }

  /** Clients can call again from now on, so this is the start of the run. */
  @EventListener(ApplicationStartedEvent.class)
  public void accepts() {
    try {
      List<Run> known = read();
      if (running && !known.isEmpty() && known.getLast().end() == null) {
        known.add(known.removeLast().begun(clock.instant()));
        restarts = restarts(known);
        write(known);
      }
    } catch (IOException e) {
      log.warn("The time of the start in {} could not be corrected; it is too early", runs(), e);
    }
  }

  private static List<Restart> restarts(List<Run> known) {
    List<Restart> restarts = new ArrayList<>();
    for (int i = 1; i < known.size(); i++) {
      Run before = known.get(i - 1);
      Run after = known.get(i);
      boolean areKnown = !before.boot().isEmpty() && !after.boot().isEmpty();
      Boolean isOther = areKnown ? !before.boot().equals(after.boot()) : null;
      if (before.end() != null) {
        restarts.add(new Restart(before.end(), after.start(), before.clean(), isOther));
      }
    }
    return List.copyOf(restarts);
  }

  private Path runs() {
    return directory.resolve("runs");
  }

  private List<Run> read() throws IOException {
    List<Run> known = new ArrayList<>();
    if (Files.exists(runs())) {
      try {
        Files.readAllLines(runs()).forEach(line -> known.add(Run.of(line)));
      } catch (RuntimeException e) {
        log.warn("The file {} is damaged; it starts over", runs(), e);
        known.clear();
      }
    }
    return known;
  }

  private void write(List<Run> known) throws IOException {
    DurableFiles.replace(
        runs(),
        known.stream().map(Run::line).collect(Collectors.joining()).getBytes(),
        DurableFiles.accessibleToOwner());
  }

  /** The last second in which an instance certainly ran that started then. */
  private Instant lastSeen(Instant started, Instant now) throws IOException {
    Instant seen = Files.getLastModifiedTime(runs()).toInstant();
    return seen.isBefore(started) || seen.isAfter(now) ? started : seen;
  }

  /** Not forced: it survives a kill, and a loss of power leaves an older second. */
  private void alive() throws IOException {
    Files.setLastModifiedTime(
        runs(), FileTime.from(clock.instant().truncatedTo(ChronoUnit.SECONDS)));
  }

  @Override
  public void stop() {
    boolean responds = beats.close(PATIENCE);
    running = false;
    if (!responds) {
      log.warn(
          "The clean stop was not written: the disk of {} does not respond; the next start reports"
              + " an unclean one",
          directory);
      return;
    }
    try {
      List<Run> known = read();
      if (!known.isEmpty() && known.getLast().end() == null) {
        known.add(known.removeLast().ended(clock.instant(), true));
        write(known);
      }
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
