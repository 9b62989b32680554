/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The kernel's figures of memory that waits to be written to disk. A figure that could not be read
 * is empty.
 *
 * @param dirtyBytes bytes that are dirty or under write-back
 * @param backgroundBytes the amount from which the kernel writes back in the background
 * @param thresholdBytes the amount from which it blocks writers
 * @param writtenBackBytes bytes written back so far, a counter
 */
public record MemorySample(
    Instant at,
    OptionalLong dirtyBytes,
    OptionalLong backgroundBytes,
    OptionalLong thresholdBytes,
    OptionalLong writtenBackBytes) {

  /**
   * Parses Linux's {@code /proc/vmstat}, which counts in pages.
   *
   * @param pageBytes the size of a page
   */
  public static MemorySample ofVmstat(Instant at, String text, long pageBytes) {
    Map<String, Long> pages = new HashMap<>();
    text.lines()
        .map(line -> line.split(" "))
        .filter(words -> words.length == 2 && words[1].matches("\\d{1,18}"))
        .forEach(words -> pages.put(words[0], Long.valueOf(words[1])));
    return new MemorySample(
        at,
        sum(pages, pageBytes, "nr_dirty", "nr_writeback"),
        sum(pages, pageBytes, "nr_dirty_background_threshold"),
        sum(pages, pageBytes, "nr_dirty_threshold"),
        sum(pages, pageBytes, "nr_written"));
  }

  private static OptionalLong sum(Map<String, Long> pages, long pageBytes, String... names) {
    long sum = 0;
    for (String name : names) {
      Long count = pages.get(name);
      if (count == null) {
        return OptionalLong.empty();
      }
      sum += count * pageBytes;
    }
    return OptionalLong.of(sum);
  }
}
