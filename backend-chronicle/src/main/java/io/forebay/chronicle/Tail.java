/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.util.List;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueStore;
import org.jspecify.annotations.Nullable;

/**
 * What the end of a partition looks like.
 *
 * @param end the number the next message will have
 * @param lastIndex the Chronicle index of the last good frame, {@link #NO_INDEX} if none was read
 * @param forced everything before that message was forced to disk, as its frames say
 * @param badLast whether one bad frame stands behind the last good one, and nothing behind it
 * @param damage what is wrong at {@code end} if it is more than that, or null
 */
record Tail(long end, long lastIndex, long forced, boolean badLast, @Nullable String damage) {

  static final long NO_INDEX = -1;

  private static final int NONE = -1;

  /**
   * Reads from where the reader stands to the end. Nobody may append meanwhile.
   *
   * <p>A reader of Chronicle stops without a word at a hole, such as a page that was never written
   * back before the power went, and an appender goes on behind it. What gives it away is the write
   * position in the head of the file: nothing that was read begins there.
   */
  static Tail examine(FrameReader reader, CycleFiles files, SingleChronicleQueue queue) {
    long forced = 0;
    int kind;
    while ((kind = reader.next()) == Frame.MESSAGE) {
      forced = Math.max(forced, reader.forced());
    }
    long end = reader.expected();
    long last = reader.index();

    int written = newestWritten(files, queue);
    long position = written == NONE ? 0 : writePosition(written, queue);
    if (kind == FrameReader.BAD) {
      String damage = reader.damage(kind);
      boolean badLast = reader.badIsLast(written, position);
      return new Tail(end, last, forced, badLast, badLast ? null : damage);
    }
    boolean reached =
        written == NONE
            || (last != NO_INDEX && files.cycleOf(last) == written && reader.start() >= position);
    return new Tail(
        end,
        last,
        forced,
        false,
        reached ? null : "a hole; what was written behind it cannot be reached");
  }

  private static int newestWritten(CycleFiles files, SingleChronicleQueue queue) {
    List<Integer> cycles = files.cycles();
    for (int i = cycles.size() - 1; i >= 0; i--) {
      if (writePosition(cycles.get(i), queue) > 0) {
        return cycles.get(i);
      }
    }
    return NONE;
  }

  /** Where the last frame of a file begins, 0 if it has none. */
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
