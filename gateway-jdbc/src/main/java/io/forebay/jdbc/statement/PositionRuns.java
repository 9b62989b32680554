/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The positions of the messages of a batch, as runs of adjacent positions whose messages have
 * equally many statements. Each run is three numbers: its first position, counted from the
 * beginning of the batch, the number of its messages, and the number of statements of each.
 */
final class PositionRuns {

  private static final int FIELDS = 3;

  private PositionRuns() {}

  /**
   * The runs of the statements that were not recalled; empty if each position has one statement, as
   * in most batches.
   *
   * @param from the first position of the batch
   * @param to the position behind it
   */
  static List<Object> of(Batch batch, long from, long to) {
    List<Object> runs = new ArrayList<>();
    long first = from;
    long messages = 0;
    long each = 1;
    for (int i = 0; i < batch.size(); ) {
      long position = batch.get(i).position();
      int begin = i;
      while (i < batch.size() && batch.get(i).position() == position) {
        i++;
      }
      if (batch.get(begin).recalled) {
        continue;
      }
      if (position != first + messages || i - begin != each) {
        add(runs, first - from, messages, each);
        first = position;
        messages = 0;
        each = i - begin;
      }
      messages++;
    }
    if (runs.isEmpty() && first == from && messages == to - from && each == 1) {
      return runs;
    }
    add(runs, first - from, messages, each);
    return runs;
  }

  private static void add(List<Object> runs, long first, long messages, long each) {
    if (messages > 0) {
      runs.addAll(List.of(first, messages, each));
    }
  }

  /** The position of each statement. */
  static long[] positions(List<@Nullable Object> runs, long from, long to, int statements) {
    long[] positions = new long[statements];
    if (runs.isEmpty()) {
      if (statements > 0 && statements != to - from) {
        throw new IllegalStateException(
            "the ledger has %,d outcomes for the positions from %,d to %,d, and does not say where they belong"
                .formatted(statements, from, to));
      }
      for (int i = 0; i < statements; i++) {
        positions[i] = from + i;
      }
      return positions;
    }
    int i = 0;
    for (int run = 0; run < runs.size(); run += FIELDS) {
      long first = from + number(runs.get(run));
      long each = number(runs.get(run + 2));
      for (long of = number(runs.get(run + 1)) * each, done = 0; done < of; done++) {
        positions[i++] = first + done / each;
      }
    }
    return positions;
  }

  private static long number(@Nullable Object value) {
    return (Long) Objects.requireNonNull(value);
  }
}
