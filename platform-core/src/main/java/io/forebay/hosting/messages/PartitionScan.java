/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.call.AnswerRun;
import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.hosting.messages.Look.Found;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.stored.StoredQueue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads the selected messages of one partition. For one thread. */
public final class PartitionScan implements AutoCloseable {

  /** A shared queue may deliver a message a moment later. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final long LONGEST_STRETCH = 10_000;

  /** How many positions of an answer are guessed before the search halves what is left. */
  private static final int GUESSES = 6;

  private final StoredQueue queue;
  private final int partition;
  private final Tailer tailer;
  private final Selection selection;
  private final boolean values;
  private final StatementNames names;
  private Instant time = Instant.EPOCH;

  public PartitionScan(
      StoredQueue queue, int partition, Selection selection, boolean values, StatementNames names) {
    this.queue = queue;
    this.partition = partition;
    this.selection = selection;
    this.values = values;
    this.names = names;
    tailer = queue.tailer(partition);
  }

  /**
   * Reads from the beginning of the range to its end, or to the last message there is now; each
   * answer of a run as a message of its own.
   *
   * @param handler returns false if it wants no more
   */
  public void read(Predicate<StoredMessage> handler) {
    long end = tailer.readableEnd();
    toBegin(end, Bound::isWellAfter);
    Predicate<StoredMessage> selected = selected(handler);
    poll(end, (position, message) -> singly(position, message, selected));
  }

  /**
   * Reads the last selected messages there are now, oldest first. {@link #follow} continues there.
   */
  public Deque<Map<String, Object>> last(long count) {
    long end = tailer.readableEnd();
    toBegin(end, Bound::isWellAfter);
    long begin = tailer.position();
    Deque<Map<String, Object>> last = new ArrayDeque<>();
    for (long distance = count; last.size() < count; distance *= 8) {
      long from = end - begin <= distance ? begin : end - distance;
      last.clear();
      seek(from);
      each(
          end,
          selected(stored -> {
            if (last.size() == count) {
              last.removeFirst();
            }
            last.addLast(stored.fields());
            return true;
          }));
      if (from == begin) {
        break;
      }
    }
    return last;
  }

  /** Reads the selected messages that have come since. */
  public void follow(Consumer<Map<String, Object>> print) {
    tailer.poll(
        Integer.MAX_VALUE,
        (position, message) -> {
          singly(
              position,
              message,
              stored -> {
                if (selection.takes(stored)) {
                  print.accept(stored.fields());
                }
                return true;
              });
        });
  }

  /** Of a run that has the id that is searched for, its answer. */
  private StoredMessage stored(long position, ByteBuffer message) {
    UUID wanted = selection.id();
    AnswerRun run = wanted == null ? null : run(position, message);
    if (wanted != null && run != null) {
      int index = run.indexOf(wanted);
      return of(position, index < 0 ? message : run.single(index));
    }
    return of(position, message);
  }

  private StoredMessage of(long position, ByteBuffer message) {
    return new StoredMessage(queue.name(), partition, position, message, values, names);
  }

  /** Null if it is another message, or cannot be decoded. */
  private @Nullable AnswerRun run(long position, ByteBuffer message) {
    try {
      return AnswerRun.of(queue.name(), partition, position, message);
    } catch (UndecodableMessage _) {
      return null;
    }
  }

  /** Passes each answer of a run, until the handler wants no more. */
  private boolean singly(long position, ByteBuffer message, Predicate<StoredMessage> handler) {
    AnswerRun run = run(position, message);
    if (run == null) {
      return handler.test(of(position, message));
    }
    for (int i = 0; i < run.count(); i++) {
      if (!handler.test(of(position, run.single(i)))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Searches from a position back to the first message kept. It reads stretch by stretch, since a
   * queue is read forwards.
   */
  Look back(long before, int limit, Effort effort) {
    tailer.toStart();
    long first = tailer.position();
    long end = Math.max(first, Math.min(before, tailer.readableEnd()));
    List<Found> found = new ArrayList<>();
    long low = end;
    for (long length = limit; low > first && found.size() < limit; length *= 2) {
      long from = Math.max(first, low - Math.min(length, LONGEST_STRETCH));
      Deque<Found> last = stretch(from, low, limit - found.size(), effort, low == end);
      if (last == null) {
        break;
      }
      found.addAll(last.reversed());
      low = from;
    }
    long reached = found.size() == limit ? found.getLast().position() : low;
    return new Look(found, end, reached, reached > first, reached > first, timeAt(reached, end));
  }

  /**
   * The last selected messages between two positions.
   *
   * @param whole whether to read all of it even if the effort is spent
   * @return null if the effort was spent before its end
   */
  private @Nullable Deque<Found> stretch(
      long from, long to, int limit, Effort effort, boolean whole) {
    Deque<Found> last = new ArrayDeque<>();
    boolean[] spent = {false};
    seek(from);
    each(
        to,
        stored -> {
          spent[0] = !whole && effort.isSpent();
          effort.look();
          if (selection.takes(stored)) {
            if (last.size() == limit) {
              last.removeFirst();
            }
            last.addLast(found(stored));
          }
          return !spent[0];
        });
    return spent[0] ? null : last;
  }

  /**
   * Searches up to the last message there is now.
   *
   * @param from where to begin, or −1 for the beginning of the range
   */
  Look forth(long from, int limit, Effort effort) {
    tailer.toStart();
    long first = tailer.position();
    long end = tailer.readableEnd();
    if (from < 0) {
      toBegin(end, Bound::isAfter);
    } else {
      seek(Math.min(from, end));
    }
    List<Found> found = new ArrayList<>();
    long[] begun = {-1};
    each(
        end,
        stored -> {
          effort.look();
          if (begun[0] < 0 && selection.hasBegun(stored)) {
            begun[0] = stored.position();
          }
          if (selection.takes(stored)) {
            found.add(found(stored));
          }
          return found.size() < limit && !effort.isSpent();
        });
    long reached = Math.min(end, tailer.position());
    long begin = begun[0] < 0 ? reached : begun[0];
    return new Look(found, begin, reached, reached < end, begin > first, timeAt(reached, end));
  }

  private @Nullable Instant timeAt(long position, long end) {
    seek(position);
    StoredMessage found = next(end);
    return found == null || found.envelope() == null ? null : found.envelope().appendTime();
  }

  private Found found(StoredMessage stored) {
    if (stored.envelope() != null) {
      time = stored.envelope().appendTime();
    }
    return new Found(stored.position(), time, stored.fields());
  }

  /** The message at a position; null if there is none. */
  public @Nullable Map<String, Object> at(long position) {
    return at(position, StoredMessage::fields);
  }

  /** What a function returns of the message at a position; null if there is none. */
  <T> @Nullable T at(long position, Function<StoredMessage, @Nullable T> of) {
    List<T> read = new ArrayList<>();
    seek(position);
    each(
        Math.min(position + 1, tailer.readableEnd()),
        stored -> {
          if (stored.position() == position) {
            add(read, of.apply(stored));
          }
          return false;
        });
    return read.isEmpty() ? null : read.getFirst();
  }

  private static <T> void add(List<T> read, @Nullable T value) {
    if (value != null) {
      read.add(value);
    }
  }

  /**
   * What a function returns of the answer to a message; null if there is none. Answers are in the
   * order of their messages, and most have nearly the same position, which is tried first.
   *
   * @param source the position of the message
   * @throws QueueUnavailable if the effort was spent before
   */
  <T> @Nullable T answer(long source, Effort effort, Function<StoredMessage, @Nullable T> of) {
    tailer.toStart();
    long low = tailer.position();
    long high = tailer.readableEnd();
    long guess = source;
    List<T> read = new ArrayList<>();
    for (int probe = 0; low < high; probe++) {
      if (effort.isSpent()) {
        throw new QueueUnavailable("the answer was not found in time; try again", null);
      }
      long middle = probe < GUESSES ? Math.clamp(guess, low, high - 1) : (low + high) >>> 1;
      seek(middle);
      long[] found = {Long.MAX_VALUE, high};
      tailer.pollBefore(
          high,
          PATIENCE,
          (position, message) -> {
            StoredMessage stored = of(position, message);
            Message envelope = stored.envelope();
            long first = envelope == null ? -1 : envelope.source().orElse(-1);
            boolean answers =
                envelope != null && first <= source && source < first + envelope.sources();
            found[0] = answers ? source : first;
            found[1] = position;
            if (answers) {
              AnswerRun run = run(position, message);
              add(
                  read,
                  of.apply(
                      run == null
                          ? stored
                          : of(position, run.single(Math.toIntExact(source - first)))));
            }
          });
      if (found[0] == source) {
        return read.isEmpty() ? null : read.getFirst();
      }
      if (found[0] < source) {
        low = found[1] + 1;
      } else {
        high = middle;
      }
      guess = found[0] == Long.MAX_VALUE ? low : found[1] + source - found[0];
    }
    return null;
  }

  /** The end of what can be read now. */
  long end() {
    return tailer.readableEnd();
  }

  /** The first position kept. */
  long start() {
    tailer.toStart();
    return tailer.position();
  }

  /**
   * Reads the selected messages between two positions, until the effort is spent.
   *
   * @return where it ended
   */
  long between(long from, long to, Effort effort, Consumer<Found> handler) {
    if (tailer.position() != from) {
      seek(from);
    }
    each(
        to,
        stored -> {
          effort.look();
          if (selection.takes(stored)) {
            handler.accept(found(stored));
          }
          return !effort.isSpent();
        });
    return effort.isSpent() ? Math.min(to, tailer.position()) : to;
  }

  private Predicate<StoredMessage> selected(Predicate<StoredMessage> handler) {
    return stored ->
        (!selection.takes(stored) || handler.test(stored)) && !selection.endsBefore(stored);
  }

  /**
   * Reads one by one, since the range may end before the queue does.
   *
   * @param handler returns false if it wants no more
   */
  private void each(long end, Predicate<StoredMessage> handler) {
    poll(end, (position, message) -> handler.test(stored(position, message)));
  }

  /** What is done with a message; false to get no more. */
  @FunctionalInterface
  private interface Bytes {
    boolean take(long position, ByteBuffer message);
  }

  private void poll(long end, Bytes handler) {
    boolean[] more = {true};
    while (more[0]
        && tailer.pollBefore(
            end,
            PATIENCE,
            (position, message) -> more[0] = position < end && handler.take(position, message))) {
      // until the handler has seen the last
    }
  }

  /**
   * @param before whether the range begins behind a message; times may be in disorder
   */
  private void toBegin(long end, BiPredicate<Bound, Message> before) {
    Bound from = selection.from();
    if (from == null) {
      tailer.toStart();
    } else if (from.time() == null) {
      seek(Math.min(from.position(), end));
    } else {
      tailer.toStart();
      seek(beginning(from, tailer.position(), end, before));
    }
  }

  /** A position at or before the first message in the range, by binary search. */
  private long beginning(Bound from, long first, long end, BiPredicate<Bound, Message> before) {
    long low = first;
    long high = end;
    while (high - low > 1_000) {
      long middle = (low + high) >>> 1;
      seek(middle);
      StoredMessage found = next(end);
      if (found == null || found.envelope() == null || !before.test(from, found.envelope())) {
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
