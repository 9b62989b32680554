/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Volume;
import io.forebay.operations.SelfTest;
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
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Whether disk, clock and kernel are what queues need. A force of the disk is timed once. */
final class HostSelfTest implements SelfTest {

  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
  private static final Set<String> OVER_NETWORK = Set.of("nfs", "nfs4", "cifs", "smb3", "9p");
  private static final int FORCES = 5;
  private static final Duration SLOW_FORCE = Duration.ofMillis(20);
  private static final long LARGEST_STEP_MILLIS = 1_000;
  private static final long ENOUGH_MAPS = 65_530;

  private final SharedHost host;
  private final Path data;
  private final KernelLimits kernel;
  private final InstantSource clock;
  private final Instant began;
  private final long beganNanos = System.nanoTime();
  private Result forced = new Result("disk force", State.UNKNOWN, "not measured yet");

  HostSelfTest(SharedHost host, Path data, KernelLimits kernel, InstantSource clock) {
    this.host = host;
    this.data = data;
    this.kernel = kernel;
    this.clock = clock;
    began = clock.instant();
  }

  @Override
  public synchronized List<Result> run() {
    if (forced.state() == State.UNKNOWN) {
      forced = force();
    }
    return List.of(directory(), forced, free(), clock(), maps(), hugePages());
  }

  private Result directory() {
    String check = "data directory";
    try {
      FileStore store = Files.getFileStore(data);
      if (!Files.isWritable(data)) {
        return new Result(
            check, State.FAILED, "%s is not writable: give it to this user".formatted(data));
      }
      String where = "%s is writable, on %s (%s)".formatted(data, store.name(), store.type());
      if (IN_MEMORY.contains(store.type())) {
        return new Result(check, State.WARN, where + ": memory; it is lost with the host");
      }
      return OVER_NETWORK.contains(store.type())
          ? new Result(
              check, State.WARN, where + ": over the network, which mapped files are not made for")
          : new Result(check, State.OK, where);
    } catch (IOException e) {
      return new Result(check, State.FAILED, "%s cannot be looked at: %s".formatted(data, e));
    }
  }

  /** The median of a few, each of a page. */
  private Result force() {
    String check = "disk force";
    try {
      Path file = Files.createTempFile(data, "self-test", ".tmp");
      long[] nanos = new long[FORCES];
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        for (int i = 0; i < FORCES; i++) {
          channel.write(ByteBuffer.allocate(4096), i * 4096L);
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
              check, State.WARN, text + "; each acknowledgement at level disk waits so long")
          : new Result(check, State.OK, text);
    } catch (IOException e) {
      return new Result(check, State.FAILED, "a file in %s was not forced: %s".formatted(data, e));
    }
  }

  private Result free() {
    String check = "free disk";
    Volume volume = host.volume().flatMap(it -> it.volume().known()).orElse(null);
    if (volume == null) {
      return new Result(
          check,
          State.UNKNOWN,
          host.volume().isPresent() ? "not sampled yet" : "queues are not on disk");
    }
    String text =
        String.format(
            Locale.ROOT,
            "%,d MB until messages are refused (reserve %,d MB)",
            volume.freeBytes() >> 20,
            volume.reserveBytes() >> 20);
    return new Result(check, volume.freeBytes() > 0 ? State.OK : State.FAILED, text);
  }

  /** Against the time that has passed since the start, and the newest file. */
  private Result clock() {
    String check = "clock";
    Instant now = clock.instant();
    long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
    long step = Duration.between(began, now).toMillis() - passed;
    boolean behindFiles =
        host.volume().stream()
            .flatMap(it -> it.storage().queues().stream())
            .flatMap(it -> it.files().stream())
            .anyMatch(it -> it.begun().isAfter(now));
    if (behindFiles) {
      return new Result(
          check, State.WARN, "it is before the newest file of a queue: was it set back?");
    }
    return Math.abs(step) > LARGEST_STEP_MILLIS
        ? new Result(
            check,
            State.WARN,
            String.format(Locale.ROOT, "it was set by %+.1f s since the start", step / 1e3))
        : new Result(check, State.OK, "it runs as the time that passes");
  }

  private Result maps() {
    String check = "mapped files";
    String value = kernel.read("proc/sys/vm/max_map_count");
    if (!value.matches("\\d{1,18}")) {
      return new Result(check, State.UNKNOWN, value);
    }
    return Long.parseLong(value) >= ENOUGH_MAPS
        ? new Result(check, State.OK, "vm.max_map_count is " + value)
        : new Result(
            check,
            State.WARN,
            "vm.max_map_count is %s; set at least %d".formatted(value, ENOUGH_MAPS));
  }

  private Result hugePages() {
    String check = "transparent large pages";
    String value = kernel.read("sys/kernel/mm/transparent_hugepage/enabled");
    if (value.startsWith("unknown")) {
      return new Result(check, State.UNKNOWN, value);
    }
    return value.contains("[always]")
        ? new Result(
            check, State.WARN, "always: they can stop a process for milliseconds; set madvise")
        : new Result(check, State.OK, value);
  }
}
