/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Volume;
import io.forebay.file.FileExposure;
import io.forebay.operations.SelfCheck;
import io.forebay.text.Formats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks disk and clock for queues. The duration of a disk force is measured once, and again after
 * it failed.
 */
final class HostSelfCheck implements SelfCheck {

  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
  private static final Set<String> OVER_NETWORK = Set.of("nfs", "nfs4", "cifs", "smb3", "9p");
  private static final int FORCES = 5;
  private static final int PAGE = 4096;
  private static final Duration SLOW_FORCE = Duration.ofMillis(20);
  private static final long LARGEST_STEP_MILLIS = 1_000;
  private static final String CLOCK_ADVICE =
      "Let NTP slew the clock (chrony) instead of setting it.";

  private final SharedHost host;
  private final Path data;
  private final InstantSource clock;
  private final Instant began;
  private final long beganNanos = System.nanoTime();
  private Result forced = new Result("disk force", State.UNKNOWN, "not measured yet");

  HostSelfCheck(SharedHost host, Path data, InstantSource clock) {
    this.host = host;
    this.data = data;
    this.clock = clock;
    began = clock.instant();
  }

  @Override
  public synchronized List<Result> run() {
    if (forced.state() == State.UNKNOWN || forced.state() == State.FAILED) {
      forced = force();
    }
    List<Result> results = new ArrayList<>();
    results.add(directory("data directory", data));
    results.add(access(data));
    host.watches().stream()
        .filter(VolumeWatch::isOfThisHost)
        .map(VolumeWatch::directory)
        .filter(it -> !it.startsWith(data))
        .forEach(it -> results.add(directory("queue directory", it)));
    results.addAll(List.of(forced, free(), clock()));
    return results;
  }

  private static Result directory(String check, Path directory) {
    try {
      FileStore store = Files.getFileStore(directory);
      if (!Files.isWritable(directory)) {
        return new Result(
            check,
            State.FAILED,
            directory + " is not writable",
            Harm.OUTAGE,
            "Make the user of this process its owner.");
      }
      String where = "%s is writable, on %s (%s)".formatted(directory, store.name(), store.type());
      if (IN_MEMORY.contains(store.type())) {
        return new Result(
            check,
            State.WARN,
            where + ": in memory; lost when the host stops",
            Harm.LOSS,
            "Set forebay.data to a directory on a disk.");
      }
      return OVER_NETWORK.contains(store.type())
          ? new Result(
              check,
              State.WARN,
              where + ": a network file system, not suitable for mapped files",
              Harm.LOSS,
              "Set forebay.data to a directory on a local disk.")
          : new Result(check, State.OK, where);
    } catch (IOException e) {
      return new Result(
          check,
          State.FAILED,
          "%s cannot be read: %s".formatted(directory, e),
          Harm.OUTAGE,
          "Make the user of this process its owner.");
    }
  }

  /** The directory holds queues, with the arguments of statements, and what identifies callers. */
  private static Result access(Path directory) {
    String check = "access to the data directory";
    try {
      return FileExposure.toAccess(directory)
          .map(it ->
              new Result(
                  check,
                  State.WARN,
                  it + ": others can enter it",
                  Harm.ACCESS,
                  "chmod 700 %s, and make the user of this process its owner."
                      .formatted(directory)))
          .orElseGet(() -> new Result(check, State.OK, "only the user of this process has access"));
    } catch (IOException e) {
      return new Result(check, State.UNKNOWN, "%s cannot be read: %s".formatted(directory, e));
    }
  }

  /** The median duration of a few forces of one page each. */
  private Result force() {
    String check = "disk force";
    try {
      Path file = Files.createTempFile(data, "self-test", ".tmp");
      long[] nanos = new long[FORCES];
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        for (int i = 0; i < FORCES; i++) {
          channel.write(ByteBuffer.allocate(PAGE), i * (long) PAGE);
          long from = System.nanoTime();
          channel.force(true);
          nanos[i] = System.nanoTime() - from;
        }
      } finally {
        Files.deleteIfExists(file);
      }
      Arrays.sort(nanos);
      Duration median = Duration.ofNanos(nanos[FORCES / 2]);
      String text = String.format(Locale.ROOT, "%.1f ms for a page", median.toNanos() / 1e6);
      return median.compareTo(SLOW_FORCE) > 0
          ? new Result(
              check,
              State.WARN,
              text + "; each acknowledgement of level DISK waits this long",
              Harm.DELAY,
              "Move the data directory to a faster disk, such as an SSD with power-loss protection.")
          : new Result(check, State.OK, text);
    } catch (IOException e) {
      if (isFull()) {
        return new Result(
            check,
            State.FAILED,
            "not measured: no space is left in %s. Messages are refused; none that was acknowledged is lost"
                .formatted(data),
            Harm.OUTAGE,
            "Free or add space. The check then runs again.");
      }
      return new Result(
          check,
          State.FAILED,
          "a file in %s could not be forced: %s".formatted(data, e),
          Harm.LOSS,
          "Read the kernel's log (dmesg), and replace the disk if it reports errors.");
    }
  }

  private boolean isFull() {
    try {
      return Files.getFileStore(data).getUsableSpace() < FORCES * PAGE;
    } catch (IOException e) {
      return false;
    }
  }

  private Result free() {
    String check = "free disk";
    List<VolumeWatch> watches = host.watches();
    if (watches.isEmpty()) {
      return new Result(check, State.UNKNOWN, "queues are not on disk");
    }
    boolean known = true;
    boolean full = false;
    List<String> texts = new ArrayList<>();
    for (VolumeWatch watch : watches) {
      Volume volume = watch.volume().known().orElse(null);
      known &= volume != null;
      full |= volume != null && volume.freeBytes() <= 0;
      texts.add((watches.size() == 1 ? "" : watch.name() + ": ") + free(volume));
    }
    String text = String.join("; ", texts);
    if (full) {
      return new Result(
          check,
          State.FAILED,
          text,
          Harm.OUTAGE,
          "Free or add space; Storage lists the files that services still need.");
    }
    return new Result(check, known ? State.OK : State.UNKNOWN, text);
  }

  private static String free(@Nullable Volume volume) {
    if (volume == null) {
      return "not sampled yet";
    }
    String reserve = Formats.bytes(volume.reserveBytes());
    return volume.freeBytes() <= 0
        ? "messages are refused; free at least %s (reserve %s)"
            .formatted(Formats.bytes(volume.toFreeBytes()), reserve)
        : "%s until messages are refused (reserve %s)"
            .formatted(Formats.bytes(volume.freeBytes()), reserve);
  }

  /** Compares the clock with the time elapsed since the start and with the newest file. */
  private Result clock() {
    String check = "clock";
    Instant now = clock.instant();
    long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
    long step = Duration.between(began, now).toMillis() - passed;
    boolean behindFiles =
        host.watches().stream()
            .flatMap(it -> it.storage().queues().stream())
            .flatMap(it -> it.files().stream())
            .anyMatch(it -> it.begun().isAfter(now));
    if (behindFiles) {
      return new Result(
          check,
          State.WARN,
          "earlier than the newest queue file; was the clock set back?",
          Harm.OUTAGE,
          CLOCK_ADVICE);
    }
    return Math.abs(step) > LARGEST_STEP_MILLIS
        ? new Result(
            check,
            State.WARN,
            String.format(Locale.ROOT, "the clock was set by %+.1f s since the start", step / 1e3),
            Harm.DELAY,
            CLOCK_ADVICE)
        : new Result(check, State.OK, "Clock is steady");
  }
}
