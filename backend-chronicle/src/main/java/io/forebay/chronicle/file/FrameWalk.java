/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One walk over all good frames of the last files of a partition, in order, whatever is damaged
 * between them. It decides which of them to keep, and writes these to new files if there are any.
 */
abstract class FrameWalk {

  private final CycleFiles files;
  private final List<Integer> cycles;
  private final @Nullable FreshFiles fresh;
  private @Nullable FrameWriter writer;

  /**
   * @param fresh null if the walk only looks
   */
  FrameWalk(CycleFiles files, List<Integer> cycles, @Nullable FreshFiles fresh) {
    this.files = files;
    this.cycles = cycles;
    this.fresh = fresh;
  }

  void all() throws IOException {
    for (int cycle : cycles) {
      writer = fresh == null ? null : fresh.of(cycle);
      try (FrameFile scan = files.open(cycle)) {
        while (scan.scan() != FrameFile.NOTHING) {
          take(scan);
        }
      }
    }
  }

  abstract void take(FrameFile scan);

  void write(StoredFrame frame) {
    if (writer != null) {
      writer.write(frame);
    }
  }

  /** Lets the next message have this number. */
  void resume(long number) {
    if (writer != null) {
      writer.resume(number);
    }
  }
}
