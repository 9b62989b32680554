/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The memory of this process and of the host, as Linux reports them; empty elsewhere. */
final class MemorySample {

  /** Memory of the process that is not a page of a file: heap, stacks, code, buffers. */
  static final String OWN = "ownMegabytes";

  /** Memory of the process with the pages of files that it has mapped. */
  static final String RESIDENT = "residentMegabytes";

  /** Pages of files in the memory of the host. */
  static final String PAGE_CACHE = "pageCacheMegabytes";

  /** Those of them that are not on the disk yet. */
  static final String DIRTY = "dirtyMegabytes";

  private static final Path PROCESS = Path.of("/proc/self/status");
  private static final Path HOST = Path.of("/proc/meminfo");
  private static final double KIB_PER_MEGABYTE = 1e6 / 1024;

  private MemorySample() {}

  static Map<String, Double> now() throws IOException {
    Map<String, Double> sample = new LinkedHashMap<>();
    if (Files.exists(PROCESS) && Files.exists(HOST)) {
      Map<String, Long> process = kibibytes(PROCESS);
      Map<String, Long> host = kibibytes(HOST);
      sample.put(OWN, process.get("RssAnon") / KIB_PER_MEGABYTE);
      sample.put(RESIDENT, process.get("VmRSS") / KIB_PER_MEGABYTE);
      sample.put(PAGE_CACHE, host.get("Cached") / KIB_PER_MEGABYTE);
      sample.put(DIRTY, (host.get("Dirty") + host.get("Writeback")) / KIB_PER_MEGABYTE);
    }
    return sample;
  }

  private static Map<String, Long> kibibytes(Path file) throws IOException {
    Map<String, Long> values = new LinkedHashMap<>();
    try (Stream<String> lines = Files.lines(file)) {
      lines
          .filter(it -> it.endsWith(" kB"))
          .forEach(it -> {
            String[] words = it.split(":? +|:\\s+");
            values.put(words[0], Long.valueOf(words[1]));
          });
    }
    return values;
  }
}
