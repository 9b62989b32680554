/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The kernel's limits and write-back settings, read from its files. */
record KernelLimits(Path root) {

  /**
   * @param value as the kernel reports it, or why it is unknown
   */
  record Limit(String name, String value, String meaning) {}

  private record Named(String name, String file, String meaning) {

    static Named vm(String name, String meaning) {
      return new Named("vm." + name, "proc/sys/vm/" + name, meaning);
    }
  }

  private static final List<Named> ALL =
      List.of(
          Named.vm(
              "dirty_background_ratio", "% of memory at which the kernel starts to write back"),
          Named.vm("dirty_ratio", "% of memory at which writers wait for the disk"),
          Named.vm("dirty_background_bytes", "the same in bytes; 0 if the ratio applies"),
          Named.vm("dirty_bytes", "the same in bytes; 0 if the ratio applies"),
          Named.vm(
              "dirty_expire_centisecs",
              "age in hundredths of a second at which data is written back"),
          Named.vm(
              "dirty_writeback_centisecs",
              "how often the kernel checks for such data, in hundredths of a second"),
          Named.vm("max_map_count", "how many memory mappings a process may have"),
          Named.vm("swappiness", "how readily memory is swapped out; low values suit queues"),
          Named.vm("overcommit_memory", "2 may refuse memory to the JVM"),
          new Named(
              "transparent_hugepage",
              "sys/kernel/mm/transparent_hugepage/enabled",
              "transparent huge pages; the value in effect is in brackets"));

  List<Limit> all() {
    List<Limit> limits = new ArrayList<>();
    for (Named one : ALL) {
      limits.add(new Limit(one.name, read(one.file), one.meaning));
    }
    var limit = new KernelMemory.ControlGroup(root).memoryLimit();
    limits.add(
        new Limit(
            "memory.max",
            limit.isPresent() ? Long.toString(limit.getAsLong()) : "unknown: no limit is visible",
            "the memory limit of the control group of this process, in bytes; it includes mapped files"));
    return limits;
  }

  /**
   * Uses a stream. {@link Files#readString} first reads one byte of a file whose size is 0, and a
   * second read of these files returns nothing.
   */
  String read(String file) {
    try (InputStream in = Files.newInputStream(root.resolve(file))) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
    } catch (IOException e) {
      return "unknown: %s cannot be read".formatted(root.resolve(file));
    }
  }
}
