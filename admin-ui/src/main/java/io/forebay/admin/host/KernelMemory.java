/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.MemoryHistory;
import io.forebay.capacity.MemorySample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads Linux's memory figures below {@code /proc}, and the limit of a container. */
final class KernelMemory {

  private static final int AUXV_PAGE_SIZE = 6;
  private static final long USUAL_PAGE_BYTES = 4096;

  private final Path vmstat;
  private final long pageBytes;
  private final MemoryHistory history;

  /**
   * @param root the root of the file system; another directory in tests
   */
  KernelMemory(Path root) {
    vmstat = root.resolve("proc/vmstat");
    pageBytes = pageBytes(root.resolve("proc/self/auxv"));
    history = new MemoryHistory(OptionalDouble.empty(), new ControlGroup(root).memoryLimit());
  }

  MemoryHistory history() {
    return history;
  }

  void sample(Instant now) {
    history.add(MemorySample.ofVmstat(now, vmstat(), pageBytes));
  }

  /** The content of vmstat; empty if there is none, and then all its figures are unknown. */
  private String vmstat() {
    try {
      return Files.readString(vmstat);
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Reads the page size from the auxiliary vector: pairs of words that the kernel passes to each
   * process.
   */
  static long pageBytes(Path auxv) {
    try {
      ByteBuffer words = ByteBuffer.wrap(Files.readAllBytes(auxv)).order(ByteOrder.nativeOrder());
      while (words.remaining() >= 2 * Long.BYTES) {
        long key = words.getLong();
        long value = words.getLong();
        if (key == AUXV_PAGE_SIZE) {
          return value;
        }
      }
    } catch (IOException e) {
      // not Linux; nothing is read in pages then
    }
    return USUAL_PAGE_BYTES;
  }

  /** The control group of this process, version 2. */
  private record ControlGroup(Path root) {

    /** The lowest limit of the group and its parents. */
    OptionalLong memoryLimit() {
      Path mount = root.resolve("sys/fs/cgroup");
      OptionalLong least = OptionalLong.empty();
      for (Path at = mount.resolve(group());
          at != null && at.startsWith(mount);
          at = at.getParent()) {
        OptionalLong limit = limit(at.resolve("memory.max"));
        if (limit.isPresent() && (least.isEmpty() || limit.getAsLong() < least.getAsLong())) {
          least = limit;
        }
      }
      return least;
    }

    /** The path of the group below the mount; empty if the mount is the group itself. */
    private String group() {
      try {
        return Files.readAllLines(root.resolve("proc/self/cgroup")).stream()
            .filter(line -> line.startsWith("0::/"))
            .map(line -> line.substring("0::/".length()))
            .filter(path -> !path.contains(".."))
            .findFirst()
            .orElse("");
      } catch (IOException e) {
        return "";
      }
    }

    private static OptionalLong limit(Path file) {
      try {
        String text = Files.readString(file).strip();
        return text.matches("\\d{1,18}")
            ? OptionalLong.of(Long.parseLong(text))
            : OptionalLong.empty();
      } catch (IOException e) {
        return OptionalLong.empty();
      }
    }
  }
}
