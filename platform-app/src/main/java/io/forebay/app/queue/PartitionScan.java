/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import io.forebay.queue.stored.StoredQueue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads the selected messages of one partition. For one thread. */
final class PartitionScan implements AutoCloseable {

  /** A shared queue may deliver a message a moment later. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final StoredQueue queue;
  private final int partition;
  private final Tailer tailer;
  private final Selection selection;
  private final boolean values;
  private final StatementNames names;

  PartitionScan(
      StoredQueue queue, int partition, Selection selection, boolean values, StatementNames names) {
    this.queue = queue;
    this.partition = partition;
    this.selection = selection;
    this.values = values;
    this.names = names;
    tailer = queue.tailer(partition);
  }

  /**
   * Reads from the beginning of the range to its end, or to the last message there is now.
   *
   * @param print returns false if it wants no more
   */
  void read(Predicate<Map<String, Object>> print) {
    long end = tailer.readableEnd();
    toBegin(end);
    upTo(end, stored -> print.test(stored.fields()));
  }

  /**
   * Reads the last selected messages there are now, oldest first. {@link #follow} continues there.
   */
  Deque<Map<String, Object>> last(long count) {
    long end = tailer.readableEnd();
    toBegin(end);
    long begin = tailer.position();
    Deque<Map<String, Object>> last = new ArrayDeque<>();
    for (long distance = count; last.size() < count; distance *= 8) {
      long from = end - begin <= distance ? begin : end - distance;
      last.clear();
      seek(from);
      upTo(
          end,
          stored -> {
            if (last.size() == count) {
              last.removeFirst();
            }
            last.addLast(stored.fields());
            return true;
          });
      if (from == begin) {
        break;
      }
    }
    return last;
  }

  /** Reads the selected messages that have come since. */
  void follow(Consumer<Map<String, Object>> print) {
    tailer.poll(
        Integer.MAX_VALUE,
        (position, message) -> {
          StoredMessage stored = stored(position, message);
          if (selection.takes(stored)) {
            print.accept(stored.fields());
          }
        });
  }

  private StoredMessage stored(long position, ByteBuffer message) {
    return new StoredMessage(queue.name(), partition, position, message, values, names);
  }

  /** Reads one by one, since the range may end before the queue does. */
  private void upTo(long end, Predicate<StoredMessage> print) {
    boolean[] more = {true};
    while (more[0]
        && tailer.pollBefore(
            end,
            PATIENCE,
            (position, message) -> {
              if (position >= end) {
                more[0] = false;
                return;
              }
              StoredMessage stored = stored(position, message);
              if (selection.takes(stored)) {
                more[0] = print.test(stored);
              }
              more[0] &= !selection.endsBefore(stored);
            })) {
      // until the handler has seen the last
    }
  }

  private void toBegin(long end) {
    Bound from = selection.from();
    if (from == null) {
      tailer.toStart();
    } else if (from.time() == null) {
      seek(Math.min(from.position(), end));
    } else {
      tailer.toStart();
      seek(beginning(from, tailer.position(), end));
    }
  }

  /** A position at or before the first message in the range, by binary search. */
  private long beginning(Bound from, long first, long end) {
    long low = first;
    long high = end;
    while (high - low > 1_000) {
      long middle = (low + high) >>> 1;
      seek(middle);
      StoredMessage found = next(end);
      if (found == null || found.envelope() == null || !from.isWellAfter(found.envelope())) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return low;
  }

  private @Nullable StoredMessage next(long end) {
    StoredMessage[] found = {null};
    tailer.pollBefore(end, PATIENCE, (position, message) -> found[0] = stored(position, message));
    return found[0];
  }

  /** Moves to a position, or to the first message kept if retention has deleted it. */
  private void seek(long position) {
    try {
      tailer.seek(position);
    } catch (PositionOutOfRange e) {
      tailer.toStart();
    }
  }

  @Override
  public void close() {
    tailer.close();
  }
}
