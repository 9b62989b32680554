/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueStore;
import org.jspecify.annotations.Nullable;

/**
 * The end of a partition.
 *
 * @param end the number the next message will have
 * @param cycle the file with the last good frame; {@link CycleFiles#NO_CYCLE} if none was read
 * @param forced everything before this message was forced to disk, according to the frames
 * @param badLast whether exactly one bad frame stands behind the last good one, with nothing behind
 *     it
 * @param damage what is wrong at {@code end}, so that nothing may be appended there, or null
 */
public record LogEnd(long end, int cycle, long forced, boolean badLast, @Nullable String damage) {

  LogEnd withDamage(@Nullable String found) {
    return new LogEnd(end, cycle, forced, badLast, found);
  }

  /**
   * Reads from the reader's position to the end. There must be no concurrent appends.
   *
   * <p>Chronicle's reader stops silently at a hole, such as a page that was not written back before
   * a power failure, and an appender continues behind it. The write position in the file's header
   * reveals a hole: no frame that was read begins there.
   */
  static LogEnd examine(FrameReader reader, CycleFiles files, SingleChronicleQueue queue) {
    long forced = 0;
    int kind;
    while ((kind = reader.next()) == StoredFrame.MESSAGE) {
      forced = Math.max(forced, reader.forced());
    }
    long end = reader.expected();
    int cycle = reader.cycle();

    int written = newestWritten(files, queue);
    long position = written == CycleFiles.NO_CYCLE ? 0 : writePosition(written, queue);
    if (kind == FrameReader.BAD) {
      String damage = reader.damage(kind);
      boolean badLast = reader.badIsLast(written, position);
      return new LogEnd(end, cycle, forced, badLast, badLast ? null : damage);
    }
    boolean reached =
        written == CycleFiles.NO_CYCLE || (cycle == written && reader.start() >= position);
    return new LogEnd(end, cycle, forced, false, reached ? null : "a hole");
  }

  private static int newestWritten(CycleFiles files, SingleChronicleQueue queue) {
    for (int cycle : files.cycles().reversed()) {
      if (writePosition(cycle, queue) > 0) {
        return cycle;
      }
    }
    return CycleFiles.NO_CYCLE;
  }

  /** Where the last frame of a file begins; 0 if it has none. */
  static long writePosition(int cycle, SingleChronicleQueue queue) {
    SingleChronicleQueueStore store = queue.storeForCycle(cycle, queue.epoch(), false, null);
    if (store == null) {
      return 0;
    }
    try {
      return store.writePosition();
    } finally {
      queue.closeStore(store);
    }
  }
}
