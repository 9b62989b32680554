/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.util.List;
import java.util.function.Supplier;

/**
 * Finds the frame of a message by its number: first the file, by the first number of each file,
 * then the place in it. Documents of one file are counted from 0, so the place is a subtraction. If
 * control frames or a gap lie before it in that file, it is a binary search.
 */
final class Lookup {

  private final CycleFiles files;
  private final Supplier<FrameReader> readers;

  Lookup(CycleFiles files, Supplier<FrameReader> readers) {
    this.files = files;
    this.readers = readers;
  }

  /** The number of the first message kept, or {@code end} if there is none. */
  long first(FrameReader reader, long end) {
    long first = firstFrom(files.cycles(), 0, reader);
    return first == CycleFiles.EMPTY ? end : first;
  }

  /** The first number in the files from an index on, or {@link CycleFiles#EMPTY}. */
  long firstFrom(List<Integer> cycles, int from, FrameReader reader) {
    long first = CycleFiles.EMPTY;
    for (int i = from; first == CycleFiles.EMPTY && i < cycles.size(); i++) {
      first = files.firstNumber(cycles.get(i), reader);
    }
    return first;
  }

  /**
   * The last file that begins at or before a number. If a file's first number is unknown, the next
   * file's is used.
   */
  int cycleOf(long number, FrameReader reader) {
    List<Integer> cycles = files.cycles();
    int low = 0;
    int high = cycles.size();
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      long first = firstFrom(cycles, middle, reader);
      if (first != CycleFiles.EMPTY && first <= number) {
        low = middle;
      } else {
        high = middle;
      }
    }
    while (low + 1 < cycles.size()
        && files.firstNumber(cycles.get(low), reader) == CycleFiles.EMPTY) {
      low++;
    }
    return cycles.get(low);
  }

  /**
   * Positions a reader at the first message at or after a number; {@link FrameReader#expected()}
   * then returns its number. Stops before a damaged frame.
   *
   * @param number of a message that is kept, or in a gap between two, or the end
   */
  void locate(FrameReader reader, long number) {
    int cycle = cycleOf(number, reader);
    long first = files.firstNumber(cycle, reader);
    if (first == CycleFiles.EMPTY) {
      reader.moveTo(files.index(cycle, 0), 0);
      return;
    }
    long guess = files.index(cycle, Math.max(0, number - first));
    if (reader.moveTo(guess, number)
        && reader.read() == StoredFrame.MESSAGE
        && reader.number() == number) {
      reader.moveTo(guess, number);
      return;
    }
    search(reader, cycle, first, number);
  }

  private void search(FrameReader reader, int cycle, long first, long number) {
    long low = 0;
    long lowNumber = first;
    long high = count(cycle);
    while (high - low > 1) {
      long middle = goodAtOrBefore((low + high) >>> 1, low, cycle, reader);
      if (middle == low || reader.number() > number) {
        high = (low + high) >>> 1;
      } else {
        low = middle;
        lowNumber = reader.number();
      }
    }
    reader.moveTo(files.index(cycle, low), lowNumber);
    forward(reader, number);
  }

  private long goodAtOrBefore(long sequence, long low, int cycle, FrameReader reader) {
    long at = sequence;
    while (at > low
        && !(reader.moveTo(files.index(cycle, at), 0) && reader.read() > FrameReader.NOTHING)) {
      at--;
    }
    return at;
  }

  private static void forward(FrameReader reader, long number) {
    while (reader.next() == StoredFrame.MESSAGE) {
      if (reader.number() >= number) {
        reader.unread();
        return;
      }
    }
  }

  private long count(int cycle) {
    try (FrameReader counter = readers.get()) {
      return counter.count(cycle);
    }
  }
}
