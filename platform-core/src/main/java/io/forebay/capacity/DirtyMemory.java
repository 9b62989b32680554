/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

/**
 * Memory that waits to be written to disk.
 *
 * @param dirtyBytes bytes that wait, D: dirty and under write-back
 * @param slowsAtBytes the amount from which the kernel slows writers, D_slow: half-way between its
 *     two thresholds (dirty_freerun_ceiling in mm/page-writeback.c of Linux); applies to mapped
 *     files too
 * @param writtenBackPerSecond bytes per second that reach the disk under pressure, W
 */
public record DirtyMemory(
    Figure<Long> dirtyBytes, Figure<Long> slowsAtBytes, Figure<Double> writtenBackPerSecond) {

  /** Returns unknown figures, with the reason. */
  public static DirtyMemory unknown(String reason) {
    return new DirtyMemory(Figure.unknown(reason), Figure.unknown(reason), Figure.unknown(reason));
  }

  /** D / D_slow. */
  public Figure<Double> share() {
    return dirtyBytes.then(dirty ->
        slowsAtBytes.then(slow ->
            slow > 0
                ? Figure.measured((double) dirty / slow)
                : Figure.unknown("the kernel reports no threshold")));
  }

  /** The time until writers of that many bytes per second are slowed down. */
  Figure<Until> slowAt(double bytesPerSecond) {
    return writtenBackPerSecond.then(back ->
        dirtyBytes.with(
            slowsAtBytes,
            (dirty, slow) -> {
              String never = "the disk keeps up with what is written";
              if (bytesPerSecond <= back) {
                return new Until.Never(never);
              }
              double room = Math.max(0, slow - dirty);
              return Until.ofSeconds(room / (bytesPerSecond - back), never);
            }));
  }
}
