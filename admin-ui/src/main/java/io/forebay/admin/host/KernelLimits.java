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

/** What the kernel allows and how it writes back, read from its files. */
record KernelLimits(Path root) {

  /**
   * @param value as the kernel writes it, or why it is not known
   */
  record Limit(String name, String value, String meaning) {}

  private record Named(String name, String file, String meaning) {

    static Named vm(String name, String meaning) {
      return new Named("vm." + name, "proc/sys/vm/" + name, meaning);
    }
  }

  private static final List<Named> ALL =
      List.of(
          Named.vm("dirty_background_ratio", "% of memory from where the kernel writes back"),
          Named.vm("dirty_ratio", "% of memory from where writers wait for the disk"),
          Named.vm("dirty_background_bytes", "the same in bytes; 0 where the ratio counts"),
          Named.vm("dirty_bytes", "the same in bytes; 0 where the ratio counts"),
          Named.vm(
              "dirty_expire_centisecs", "age, in hundredths of a second, that is written back"),
          Named.vm("dirty_writeback_centisecs", "how often the kernel looks for it"),
          Named.vm("max_map_count", "mapped pieces of files a process may have"),
          Named.vm("swappiness", "how readily memory is swapped out; low is good for queues"),
          Named.vm("overcommit_memory", "2 may refuse memory to the JVM"),
          new Named(
              "transparent_hugepage",
              "sys/kernel/mm/transparent_hugepage/enabled",
              "large pages without asking; in brackets what is in effect"));

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
            "bytes the control group of this process may use, its mapped files among them"));
    return limits;
  }

  /**
   * By a stream: {@link Files#readString} begins with a read of one byte, where a file says it is
   * empty, and these give nothing more to whoever comes again.
   */
  String read(String file) {
    try (InputStream in = Files.newInputStream(root.resolve(file))) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
    } catch (IOException e) {
      return "unknown: %s cannot be read".formatted(root.resolve(file));
    }
  }
}
