/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.machine.Machine;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import io.forebay.service.progress.HostedProgress;
import io.forebay.service.progress.Unavailable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores in a small file how far the answers of a queue were received, if the queue survives the
 * process. Its transactions undo nothing. Not thread-safe.
 */
final class ReceivedPositions implements AnswerTransactions, AnswerTransactions.Transaction {

  private static final Logger log = LoggerFactory.getLogger(ReceivedPositions.class);
  private static final long INTERVAL = Duration.ofSeconds(1).toNanos();

  private final HostedProgress file;
  private final MessageQueue out;
  private final String consumer;
  private final Map<Integer, Long> positions = new HashMap<>();

  /** The positions that are not in the file yet. */
  private final Map<Integer, Long> changed = new HashMap<>();

  private long saved = Machine.nanos();

  /**
   * @param consumer the consumer of the queue that receives the answers
   */
  ReceivedPositions(Path data, MessageQueue out, String consumer) {
    this.out = out;
    this.consumer = consumer;
    file =
        out.capabilities().strongest() == Level.MEMORY
            ? HostedProgress.none()
            : HostedProgress.inFiles(data.resolve("answers"));
  }

  private long stored(int partition) {
    HostedProgress.Entry entry = file.find(out.name()).get(partition);
    return entry == null || !entry.queueId().equals(out.identity()) ? 0 : entry.position();
  }

  /**
   * Where a receiver continues that has received everything before a position: there, or at the end
   * of a queue that a loss of power has shortened, at level PROCESS.
   *
   * @throws QueueFailed if the queue lost answers that cannot be lost; others will take their
   *     positions
   */
  static long in(MessageQueue out, Tailer tailer, long position) {
    long end = tailer.end();
    boolean mayEndEarly =
        out.capabilities().strongest() == Level.PROCESS && out.capabilities().contiguous();
    if (position > end && !mayEndEarly) {
      throw new QueueFailed(
          ("partition %d of queue %s returned to an older state (it ends at %,d, answers were received up to"
                  + " position %,d); none are received until an operator decides, see docs/operations.md,"
                  + " \"A queue returned to an older state\"")
              .formatted(tailer.partition(), out.name(), end, position),
          null);
    }
    return Math.min(position, end);
  }

  /** Another instance may have received more, or the host may have lost its files. */
  @Override
  public OptionalLong position(String queueId, int partition) {
    long received = positions.computeIfAbsent(partition, this::stored);
    long position = Math.max(received, out.passed(consumer, partition).orElse(0));
    return position == 0 ? OptionalLong.empty() : OptionalLong.of(position);
  }

  @Override
  public Transaction begin() {
    return this;
  }

  @Override
  public void deliver(Runnable delivery) {
    delivery.run();
  }

  @Override
  public void commit(String queueId, int partition, OptionalLong from, long to) {
    positions.put(partition, to);
    changed.put(partition, to);
  }

  @Override
  public void rollback() {}

  void saveNowAndThen() {
    if (!changed.isEmpty() && Machine.nanos() - saved > INTERVAL) {
      save();
    }
  }

  void save() {
    try {
      changed.forEach((partition, position) ->
          file.keep(
              out.name(), partition, new HostedProgress.Entry(out.identity(), position, false)));
      changed.clear();
    } catch (Unavailable e) {
      log.warn(
          "Positions of received answers not written: {}; a restart delivers answers since the last write again",
          e.getMessage());
    }
    saved = Machine.nanos();
  }
}
