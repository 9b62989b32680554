/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

/**
 * Memory that waits to be written to disk.
 *
 * @param dirtyBytes that wait, D: dirty and under write-back
 * @param slowsAtBytes from where the kernel slows those who write, D_slow: half-way between its two
 *     thresholds (dirty_freerun_ceiling in mm/page-writeback.c of Linux), which holds for mapped
 *     files too
 * @param writtenBackPerSecond bytes per second that get to disk under pressure, W
 */
public record DirtyMemory(
    Figure<Long> dirtyBytes, Figure<Long> slowsAtBytes, Figure<Double> writtenBackPerSecond) {

  /** Where nothing of it can be seen. */
  public static DirtyMemory unknown(String reason) {
    return new DirtyMemory(Figure.unknown(reason), Figure.unknown(reason), Figure.unknown(reason));
  }

  /** D / D_slow. */
  public Figure<Double> share() {
    return dirtyBytes.then(dirty ->
        slowsAtBytes.then(slow ->
            slow > 0
                ? Figure.measured((double) dirty / slow)
                : Figure.unknown("the kernel tells no threshold")));
  }

  /** Until those who write so many bytes per second are slowed down. */
  Figure<Until> slowAt(double bytesPerSecond) {
    return writtenBackPerSecond.then(back ->
        dirtyBytes.with(
            slowsAtBytes,
            (dirty, slow) -> {
              String never = "the disk takes as much as is written";
              if (bytesPerSecond <= back) {
                return new Until.Never(never);
              }
              double room = Math.max(0, slow - dirty);
              return Until.ofSeconds(room / (bytesPerSecond - back), never);
            }));
  }
}
