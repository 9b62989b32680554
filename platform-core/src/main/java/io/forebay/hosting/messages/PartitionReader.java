/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.call.AnswerRun;
import io.forebay.call.UndecodableMessage;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import io.forebay.queue.stored.StoredQueue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads the messages of one partition. For one thread. */
public final class PartitionReader implements AutoCloseable {

  /** A shared queue may deliver a message a moment later. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final StoredQueue queue;
  private final int partition;
  private final boolean values;
  private final StatementNames names;
  private final Tailer tailer;

  /**
   * @param values whether to show arguments and values, which may be personal data
   */
  public PartitionReader(StoredQueue queue, int partition, boolean values, StatementNames names) {
    this.queue = queue;
    this.partition = partition;
    this.values = values;
    this.names = names;
    tailer = queue.tailer(partition);
  }

  /** The first position kept, from which it reads next. */
  public long toStart() {
    tailer.toStart();
    return tailer.position();
  }

  /** The position from which it reads next. */
  public long position() {
    return tailer.position();
  }

  /** The end of what can be read now. */
  public long end() {
    return tailer.readableEnd();
  }

  /**
   * Reads from a position, or from the first one kept, up to an end.
   *
   * @param to at most {@link #end()}
   * @param handler returns false if it wants no more
   */
  public void read(long from, long to, Predicate<StoredMessage> handler) {
    poll(from, to, (position, message) -> handler.test(of(position, message)));
  }

  /** Like {@link #read}; each answer of a run is a message with the position of the run. */
  public void readSingly(long from, long to, Predicate<StoredMessage> handler) {
    poll(
        from,
        to,
        (position, message) -> {
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
        });
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

  /** Takes a message; returns false to get no more. */
  @FunctionalInterface
  private interface Bytes {
    boolean take(long position, ByteBuffer message);
  }

  /** Reads one by one, since the range may end before the queue does. */
  private void poll(long from, long to, Bytes handler) {
    if (from >= to) {
      return;
    }
    if (tailer.position() != from) {
      try {
        tailer.seek(from);
      } catch (PositionOutOfRange e) {
        tailer.toStart();
      }
    }
    boolean[] more = {true};
    while (more[0]
        && tailer.pollBefore(
            to,
            PATIENCE,
            (position, message) -> more[0] = position < to && handler.take(position, message))) {
      // until the handler has seen the last
    }
  }

  @Override
  public void close() {
    tailer.close();
  }
}
