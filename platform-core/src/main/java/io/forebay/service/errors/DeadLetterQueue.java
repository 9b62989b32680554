/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dead letters of a service, in the queue {@code <name>.dead}, with what became of them. It has
 * as many partitions as the in-queue. Thread-safe.
 *
 * <p>A letter is stored before its message is answered. If the process dies in between, the message
 * is not performed again: {@link #from} finds its letter.
 */
public final class DeadLetterQueue implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(DeadLetterQueue.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Protocol<Entries> ENTRIES = Protocol.of(Entries.class);

  private final MessageQueue queue;

  /** What the queue holds. */
  public interface Entries {

    /**
     * A message was given up.
     *
     * @param message empty if it and the letter would be too large for one message
     */
    void letter(DeadLetter letter, byte[] message);

    /** A letter was replayed as another message. */
    void replayed(String queueId, long position, UUID messageId, long newPosition, String by);

    /**
     * An operator decided about a letter. If several instances append a decision at the same time,
     * the order in the queue counts; one that the state before it does not allow has no effect.
     *
     * @param state {@code OPEN} if it was reopened, {@code SET_ASIDE} or {@code DISCARDED}
     */
    void decided(String queueId, long position, String state, String by, String reason);
  }

  private DeadLetterQueue(MessageQueue queue) {
    this.queue = queue;
  }

  /**
   * Opens the queue, and creates it if it does not exist.
   *
   * @param partitions as many as the in-queue has
   * @param kept the shortest time that letters are kept
   */
  public static DeadLetterQueue open(
      QueueBackend backend, String service, int partitions, Duration kept) {
    return new DeadLetterQueue(backend.open(service + ".dead", partitions, kept));
  }

  /**
   * Stores a letter. It survives a crash once this returns.
   *
   * @param message the bytes of the message, from the buffer's position to its limit
   * @throws Unavailable if the queue has not accepted it in time; it may be stored nevertheless
   * @throws QueueRefused if the queue refuses it
   */
  public void store(DeadLetter letter, ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.duplicate().get(bytes);
    try {
      store(letter, bytes);
    } catch (QueueRefused e) {
      if (e.reason() != QueueRefused.Reason.TOO_LARGE) {
        throw e;
      }
      log.error(
          "Dead letter stored without its message, which is too large (bytes={}, position={}, queue={}); it cannot be replayed",
          bytes.length,
          letter.position(),
          queue.name());
      store(letter, new byte[0]);
    }
  }

  private void store(DeadLetter letter, byte[] message) {
    append(letter.partition(), entries -> entries.letter(letter, message));
  }

  public int partitions() {
    return queue.partitions();
  }

  /**
   * Appends an entry. It survives a crash once this returns.
   *
   * @return its id
   * @throws Unavailable if the queue has not accepted it in time; it may be stored nevertheless
   */
  public UUID append(int partition, Consumer<Entries> entry) {
    try (Writer<Entries> writer = ENTRIES.writer(queue, partition)) {
      entry.accept(writer.calls());
      Acceptance.await(
          writer, "queue %s has not accepted a dead letter".formatted(queue.name()), "");
      return writer.lastId();
    }
  }

  /** The letters of messages of this in-queue from a position on, by position. */
  public Map<Long, DeadLetter> from(int partition, String queueId, long position) {
    Map<Long, DeadLetter> found = new HashMap<>();
    read(
        partition,
        (letter, _) -> {
          if (letter.position() >= position && letter.queueId().equals(queueId)) {
            found.putIfAbsent(letter.position(), letter);
          }
        });
    return found;
  }

  /** Reads all letters of a partition with their messages, the oldest first. */
  public void read(int partition, BiConsumer<DeadLetter, byte[]> letters) {
    try (Tailer tailer = tailer(partition)) {
      read(
          tailer,
          new Entries() {
            @Override
            public void letter(DeadLetter letter, byte[] message) {
              letters.accept(letter, message);
            }

            @Override
            public void replayed(
                String queueId, long position, UUID messageId, long newPosition, String by) {}

            @Override
            public void decided(
                String queueId, long position, String state, String by, String reason) {}
          });
    }
  }

  /** A tailer for {@link #read(Tailer, Entries)}. */
  public Tailer tailer(int partition) {
    return queue.tailer(partition);
  }

  /** Reads from the position of the tailer to the end. */
  public void read(Tailer tailer, Entries entries) {
    MessageHandler handler = ENTRIES.reader(queue.name(), entries).handler(tailer.partition());
    long end = tailer.end();
    while (tailer.pollBefore(end, PATIENCE, handler)) {
      // the handler has it
    }
  }

  @Override
  public void close() {
    queue.close();
  }
}
