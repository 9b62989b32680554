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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dead letters of a service, in the queue {@code <name>.dead}, with what became of them. It has
 * as many partitions as the in-queue. The list of letters is kept in memory, without their
 * messages. Thread-safe.
 *
 * <p>A letter is stored before its message is answered. If the process dies in between, the message
 * is not performed again: {@link #from} finds its letter.
 */
public final class DeadLetterQueue implements AutoCloseable {

  /** The most letters of a partition that are listed, besides those that are set aside. */
  public static final int MOST = 10_000;

  private static final Logger log = LoggerFactory.getLogger(DeadLetterQueue.class);
  private static final Duration ACCEPTED_WITHIN = Duration.ofSeconds(10);
  private static final Protocol<Entries> ENTRIES = Protocol.of(Entries.class);

  private final MessageQueue queue;

  /** Guards the listings; a lock, because the queue is read meanwhile. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Map<Integer, DeadLetterListing> listings = new HashMap<>();

  /** What the queue holds. */
  interface Entries {

    /**
     * A message was given up.
     *
     * @param message empty if it and the letter would be too large for one message
     */
    void letter(
        String queueId,
        long position,
        @Nullable UUID messageId,
        String error,
        String text,
        int tries,
        @Nullable UUID replayOf,
        long bytes,
        byte[] message);

    /** A letter was replayed as another message. */
    void replayed(String queueId, long position, UUID messageId, long newPosition, String by);

    /**
     * An operator decided about a letter.
     *
     * @param state the name of a {@link DeadLetter.State}
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
    append(
        letter.partition(),
        entries ->
            entries.letter(
                letter.queueId(),
                letter.position(),
                letter.messageId(),
                letter.error(),
                letter.text(),
                letter.tries(),
                letter.replayOf(),
                letter.bytes(),
                message));
  }

  /**
   * Stores that a letter was replayed.
   *
   * @throws Unavailable if the queue has not accepted it in time; it may be stored nevertheless
   */
  public void replayed(
      int partition, String queueId, long position, UUID messageId, long newPosition, String by) {
    append(partition, entries -> entries.replayed(queueId, position, messageId, newPosition, by));
  }

  /**
   * Stores what an operator decided about a letter. Of decisions that several instances append at
   * the same time, the order in the queue counts; one that the state before it does not allow has
   * no effect.
   *
   * @param state {@link DeadLetter.State#OPEN} if it was reopened
   * @return false if it had no effect; also false if the letter is not listed
   * @throws Unavailable if the queue has not accepted it in time; it may be stored nevertheless
   */
  public boolean decided(
      int partition,
      String queueId,
      long position,
      DeadLetter.State state,
      String by,
      String reason) {
    UUID entry =
        append(partition, entries -> entries.decided(queueId, position, state.name(), by, reason));
    return locked(() -> !listing(partition).hasRefused(entry));
  }

  public int partitions() {
    return queue.partitions();
  }

  /** Returns the id of what was appended. */
  private UUID append(int partition, Consumer<Entries> entry) {
    try (Writer<Entries> writer = ENTRIES.writer(queue, partition)) {
      entry.accept(writer.calls());
      writer.await(ACCEPTED_WITHIN);
      return writer.lastId();
    } catch (TimeoutException e) {
      throw unconfirmed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unconfirmed(e);
    }
  }

  private Unavailable unconfirmed(Exception cause) {
    return new Unavailable(
        "queue %s has not accepted a dead letter (limit=%d s)"
            .formatted(queue.name(), ACCEPTED_WITHIN.toSeconds()),
        cause);
  }

  /**
   * The letters of a partition, the oldest first: all that are set aside, and of more than {@link
   * #MOST} others the newest.
   */
  public List<DeadLetter> list(int partition) {
    return locked(() -> listing(partition).letters());
  }

  private <R> R locked(Supplier<R> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** What was read before, with what was appended since. */
  private DeadLetterListing listing(int partition) {
    try (Tailer tailer = queue.tailer(partition)) {
      DeadLetterListing known = listings.get(partition);
      long first = tailer.position();
      if (known == null || known.first != first || known.end > tailer.end()) {
        known = new DeadLetterListing(partition);
        known.first = first;
      } else {
        tailer.seek(known.end);
      }
      listings.remove(partition); // not kept if reading fails
      read(tailer, known);
      known.end = tailer.position();
      listings.put(partition, known);
      return known;
    }
  }

  /** The letters of messages of this in-queue from a position on, by position. */
  public Map<Long, DeadLetter> from(int partition, String queueId, long position) {
    Map<Long, DeadLetter> found = new LinkedHashMap<>();
    for (DeadLetter letter : list(partition)) {
      if (letter.position() >= position && letter.queueId().equals(queueId)) {
        found.put(letter.position(), letter);
      }
    }
    return found;
  }

  /** The bytes of a letter's message; empty if there is no such letter or it has none. */
  public Optional<byte[]> message(int partition, String queueId, long position) {
    DeadLetterListing listing = new DeadLetterListing(partition, queueId, position);
    try (Tailer tailer = queue.tailer(partition)) {
      read(tailer, listing);
    }
    return Optional.ofNullable(listing.message()).filter(message -> message.length > 0);
  }

  private void read(Tailer tailer, DeadLetterListing listing) {
    MessageHandler handler = ENTRIES.reader(queue.name(), listing).handler(tailer.partition());
    long end = tailer.end();
    while (tailer.pollBefore(end, ACCEPTED_WITHIN, handler)) {
      // the handler has it
    }
  }

  @Override
  public void close() {
    queue.close();
  }
}
