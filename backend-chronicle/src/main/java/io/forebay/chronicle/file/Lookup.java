/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.util.function.Supplier;

/**
 * Finds the frame of a message by its number: first the file, by the first number of each file,
 * then the place in it. Documents of one file are counted from 0, so the place is a subtraction. If
 * control frames or a gap lie before it in that file, it is a binary search. Thread-safe.
 */
final class Lookup {

  private final CycleFiles files;
  private final Supplier<FrameReader> readers;

  Lookup(CycleFiles files, Supplier<FrameReader> readers) {
    this.files = files;
    this.readers = readers;
  }

  /**
   * Positions a reader at the first message at or after a number; {@link FrameReader#expected()}
   * then returns its number. Stops before a damaged frame.
   *
   * @param number of a message that is kept, or in a gap between two, or the end
   */
  void locate(FrameReader tailing, long number) {
    int cycle = files.cycleWith(number);
    long first = files.firstOf(cycle);
    if (first == CycleFiles.EMPTY) {
      tailing.moveTo(files.index(cycle, 0), 0);
      return;
    }
    long guess = files.index(cycle, Math.max(0, number - first));
    if (tailing.moveTo(guess, number)
        && tailing.read() == StoredFrame.MESSAGE
        && tailing.number() == number) {
      tailing.moveTo(guess, number);
      return;
    }
    search(tailing, cycle, first, number);
  }

  private void search(FrameReader tailing, int cycle, long first, long number) {
    long low = 0;
    long lowNumber = first;
    long high = count(cycle);
    while (high - low > 1) {
      long middle = goodAtOrBefore((low + high) >>> 1, low, cycle, tailing);
      if (middle == low || tailing.number() > number) {
        high = (low + high) >>> 1;
      } else {
        low = middle;
        lowNumber = tailing.number();
      }
    }
    tailing.moveTo(files.index(cycle, low), lowNumber);
    forward(tailing, number);
  }

  private long goodAtOrBefore(long sequence, long low, int cycle, FrameReader tailing) {
    long at = sequence;
    while (at > low
        && !(tailing.moveTo(files.index(cycle, at), 0) && tailing.read() > FrameReader.NOTHING)) {
      at--;
    }
    return at;
  }

  private static void forward(FrameReader tailing, long number) {
    while (tailing.next() == StoredFrame.MESSAGE) {
      if (tailing.number() >= number) {
        tailing.unread();
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
