/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.util.List;
import java.util.function.Supplier;

/**
 * Finds the frame of a message by its number: first the file, by the first number of each, then the
 * place in it. Documents of one file are counted from 0, so the place is a subtraction, unless
 * control frames or a gap lie before it in that file; then it is a binary search.
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
    for (int cycle : files.cycles()) {
      long number = files.firstNumber(cycle, reader);
      if (number != CycleFiles.EMPTY) {
        return number;
      }
    }
    return end;
  }

  /**
   * Makes the first message at or after a number the next one of a reader; {@link
   * FrameReader#expected()} then tells its number. Stops before a damaged frame.
   *
   * @param number of a message that is kept, or in a gap between two, or the end
   * @return the file it is in
   */
  int locate(FrameReader reader, long number) {
    List<Integer> cycles = files.cycles();
    int cycle = cycles.get(fileOf(cycles, number, reader));
    long first = files.firstNumber(cycle, reader);
    if (first == CycleFiles.EMPTY) {
      reader.moveTo(files.index(cycle, 0), 0);
      return cycle;
    }
    long guess = files.index(cycle, Math.max(0, number - first));
    if (reader.moveTo(guess, number)
        && reader.read() == Frame.MESSAGE
        && reader.number() == number) {
      reader.moveTo(guess, number);
      return cycle;
    }
    search(reader, cycle, first, number);
    return cycle;
  }

  /**
   * The last file that begins at or before a number. An empty one counts as beginning at the end.
   */
  private int fileOf(List<Integer> cycles, long number, FrameReader reader) {
    int low = 0;
    int high = cycles.size();
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      long first = files.firstNumber(cycles.get(middle), reader);
      for (int i = middle + 1; first == CycleFiles.EMPTY && i < high; i++) {
        first = files.firstNumber(cycles.get(i), reader);
      }
      if (first != CycleFiles.EMPTY && first <= number) {
        low = middle;
      } else {
        high = middle;
      }
    }
    while (files.firstNumber(cycles.get(low), reader) == CycleFiles.EMPTY
        && low + 1 < cycles.size()) {
      low++;
    }
    return low;
  }

  private void search(FrameReader reader, int cycle, long first, long number) {
    long low = 0;
    long lowNumber = first;
    long high = count(cycle);
    while (high - low > 1) {
      long middle = (low + high) >>> 1;
      long at = middle;
      int kind = FrameReader.BAD;
      while (at > low && kind == FrameReader.BAD) {
        kind = reader.moveTo(files.index(cycle, at), 0) ? reader.read() : FrameReader.BAD;
        at -= kind == FrameReader.BAD ? 1 : 0;
      }
      if (at == low || reader.number() > number) {
        high = middle;
      } else {
        low = at;
        lowNumber = reader.number();
      }
    }
    reader.moveTo(files.index(cycle, low), lowNumber);
    forward(reader, number);
  }

  private static void forward(FrameReader reader, long number) {
    while (reader.next() == Frame.MESSAGE) {
      if (reader.number() >= number) {
        reader.unread();
        return;
      }
    }
  }

  /** How many documents a file has; 1 if it is so damaged that it must be read from its start. */
  private long count(int cycle) {
    try (FrameReader counter = readers.get()) {
      return counter.count(cycle);
    } catch (RuntimeException | AssertionError e) {
      return 1;
    }
  }
}
