/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.file.DurableFiles;
import io.forebay.machine.Machine;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores in a small file how far the answers of a queue were received, if the queue survives the
 * process. Its transactions undo nothing. Not thread-safe.
 */
final class ReceivedPositions implements AnswerTransactions, AnswerTransactions.Transaction {

  private static final Logger log = LoggerFactory.getLogger(ReceivedPositions.class);
  private static final long INTERVAL = Duration.ofSeconds(1).toNanos();
  private static final String QUEUE = "queue";

  private final Path file;
  private final MessageQueue out;
  private final String consumer;
  private final boolean durable;
  private @Nullable Map<Integer, Long> positions;
  private boolean changed;
  private long saved = Machine.nanos();

  /**
   * @param consumer the consumer of the queue that receives the answers
   */
  ReceivedPositions(Path data, MessageQueue out, String consumer) {
    this.out = out;
    this.consumer = consumer;
    file = data.resolve("answers").resolve(out.name() + ".properties");
    durable = out.capabilities().strongest() != Level.MEMORY;
  }

  private Map<Integer, Long> positions() {
    Map<Integer, Long> known = positions;
    if (known == null) {
      known = durable && Files.exists(file) ? load() : new TreeMap<>();
      positions = known;
    }
    return known;
  }

  private Map<Integer, Long> load() {
    Properties stored = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      stored.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<Integer, Long> loaded = new TreeMap<>();
    if (out.identity().equals(stored.remove(QUEUE))) {
      stored.forEach((partition, position) ->
          loaded.put(Integer.valueOf(partition.toString()), Long.valueOf(position.toString())));
    }
    return loaded;
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
    long received = positions().getOrDefault(partition, 0L);
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
    positions().put(partition, to);
    changed = true;
  }

  @Override
  public void rollback() {}

  void saveNowAndThen() {
    if (changed && Machine.nanos() - saved > INTERVAL) {
      save();
    }
  }

  void save() {
    if (!durable || !changed) {
      return;
    }
    try {
      DurableFiles.createDirectories(DurableFiles.directoryOf(file));
      DurableFiles.replace(file, text().getBytes(StandardCharsets.UTF_8));
      changed = false;
    } catch (IOException e) {
      log.warn(
          "Positions of received answers not written to {} ({}); a restart delivers"
              + " answers since the last write again",
          file,
          e.getMessage());
    }
    saved = Machine.nanos();
  }

  private String text() throws IOException {
    Properties stored = new Properties();
    stored.setProperty(QUEUE, out.identity());
    positions()
        .forEach(
            (partition, position) -> stored.setProperty(partition.toString(), position.toString()));
    StringWriter text = new StringWriter();
    stored.store(text, null);
    return text.toString();
  }
}
