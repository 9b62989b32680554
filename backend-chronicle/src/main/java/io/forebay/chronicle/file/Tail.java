/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.util.List;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueStore;
import org.jspecify.annotations.Nullable;

/**
 * The end of a partition.
 *
 * @param end the number the next message will have
 * @param forced everything before this message was forced to disk, according to the frames
 * @param badLast whether exactly one bad frame stands behind the last good one, with nothing behind
 *     it
 * @param damage what is wrong at {@code end} if it is more than one bad last frame, or null
 */
public record Tail(long end, long forced, boolean badLast, @Nullable String damage) {

  /**
   * Reads from the reader's position to the end. There must be no concurrent appends.
   *
   * <p>The reader stops silently at a hole, such as a page that was not written back before a power
   * failure, and an appender continues behind it. The write position in the file's header reveals a
   * hole: no frame that was read begins there.
   */
  static Tail examine(FrameReader reader, CycleFiles files, SingleChronicleQueue queue)
      throws IOException {
    long forced = 0;
    int kind;
    while ((kind = reader.next()) == StoredFrame.MESSAGE) {
      forced = Math.max(forced, reader.forced());
    }
    int written = newestWritten(files, queue);
    boolean inNewest = written != CycleFiles.NO_CYCLE && files.path(written).equals(reader.path());
    long position = inNewest ? writePosition(written, queue) : 0;
    if (kind == FrameFile.BAD) {
      String damage = reader.damage();
      boolean badLast = inNewest && reader.isBadLast(position);
      return new Tail(reader.expected(), forced, badLast, badLast ? null : damage);
    }
    boolean reached = written == CycleFiles.NO_CYCLE || (inNewest && reader.start() >= position);
    return new Tail(reader.expected(), forced, false, reached ? null : "a hole");
  }

  private static int newestWritten(CycleFiles files, SingleChronicleQueue queue) {
    List<Integer> cycles = files.cycles();
    for (int i = cycles.size() - 1; i >= 0; i--) {
      if (writePosition(cycles.get(i), queue) > 0) {
        return cycles.get(i);
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
