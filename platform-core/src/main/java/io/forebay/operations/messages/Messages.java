/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The messages in the queues of this process's backend. Reading disturbs no service: it takes no
 * lock, registers no consumer and changes nothing. Thread-safe; one reader at a time, the others
 * wait for a few seconds.
 *
 * <p>A message is a map with the fields that the command {@code queue dump} prints. Without values
 * it has no arguments, no SQL text that is not in the catalogue, and no message of a database.
 *
 * <p>Every method throws {@link io.forebay.queue.QueueUnavailable} if the queues cannot be read
 * now, and {@link io.forebay.queue.QueueFailed} if they cannot be read.
 */
public interface Messages {

  /** The most messages of a page. */
  int MAX_LIMIT = 200;

  /** The queues that exist now, by name. */
  List<Listed> queues();

  /**
   * Looks for messages of one queue. It ends when it has found enough, and after a limited number
   * of messages and a limited time; the page then says where to look further.
   *
   * @return empty if there is no such queue or partition
   * @throws IllegalArgumentException if the search is not valid; the message contains no value
   */
  Optional<Page> page(Search search);

  /**
   * One message.
   *
   * @param values whether to show arguments and values, which may be personal data: the caller
   *     records that somebody looked at them
   * @return empty if there is no such message, for example because it was deleted
   */
  Optional<Map<String, Object>> message(String queue, int partition, long position, boolean values);

  /**
   * What became of a message, which may have been deleted if its answer is still kept.
   *
   * @return empty if there is neither such a message nor an answer to it
   * @throws io.forebay.queue.QueueUnavailable also if its answers are not found within 2 s
   */
  Optional<Life> life(String queue, int partition, long position);

  /**
   * Follows a queue: its newest messages, and then those that come. It shows the selected ones of
   * them, and if many come only the newest.
   *
   * @param search {@link Search#after} is the {@link News#after} of an earlier tail, or null to
   *     begin with the newest messages; {@code from} and {@code before} are null
   * @return empty if there is no such queue or partition
   * @throws IllegalArgumentException if the search is not valid
   */
  Optional<Tail> tail(Search search);

  /** Follows a queue. For one thread; close it. */
  interface Tail extends AutoCloseable {

    /**
     * What came since the last call. Does not wait: if a search is running, it returns empty.
     *
     * @throws io.forebay.queue.QueueUnavailable if it cannot be read now; it cannot be used further
     */
    Optional<News> next();

    @Override
    void close();
  }

  /**
   * What came since the last round of a tail; in the first round, the newest messages.
   *
   * @param messages the newest selected ones, newest first
   * @param arrived how many messages came; on a queue with transactions an upper bound
   * @param looked how many of them were looked at, the newest ones
   * @param matched how many of those are selected
   * @param after where another tail can continue
   */
  record News(
      List<Map<String, Object>> messages, long arrived, long looked, long matched, String after) {}

  /**
   * A queue.
   *
   * @param partitions how many it has
   * @param service the service of this process that reads it, or else the one that answers in it;
   *     null if there is none
   * @param calls the queue whose messages this one answers, or null
   * @param answers the queue in which messages of this one are answered, or null
   */
  record Queue(
      String name,
      int partitions,
      @Nullable String service,
      @Nullable String calls,
      @Nullable String answers) {}

  /**
   * @param partitions the figures of each partition, as {@code queue ls} prints them
   */
  record Listed(Queue queue, List<Map<String, Object>> partitions) {}

  /**
   * Which messages are wanted. Of {@code from}, {@code before} and {@code after} at most one is
   * given; with none, the newest messages are wanted.
   *
   * @param partition null for all
   * @param from the first message wanted: a position, or a time such as 2026-11-23T10:15:00Z
   * @param before {@link Page#older} of another page: only messages older than those
   * @param after {@link Page#newer} of another page: only messages newer than those
   * @param id of the message, or null
   * @param key its idempotency key, or null
   * @param statement its name in the catalogue, the method of a call, or a part of SQL text; or
   *     null
   * @param limit how many, from 1 to {@link #MAX_LIMIT}
   */
  record Search(
      String queue,
      @Nullable Integer partition,
      @Nullable String from,
      @Nullable String before,
      @Nullable String after,
      @Nullable UUID id,
      @Nullable String key,
      @Nullable String statement,
      int limit) {}

  /**
   * Messages of a queue, newest first by their times. Those of a partition are in its order.
   *
   * @param older where to look for older ones; null if there are none
   * @param newer where to look for newer ones; null if there were none, and if the newest are shown
   * @param looked how many messages were looked at
   * @param reached if the search ended before it found enough: the time of the message at which it
   *     ended; otherwise null
   * @param begun if the id that was searched has a time: the time at which the search began; it
   *     then ended with the first message found. Otherwise null
   */
  record Page(
      Queue queue,
      List<Map<String, Object>> messages,
      @Nullable String older,
      @Nullable String newer,
      long looked,
      @Nullable Instant reached,
      @Nullable Instant begun) {}
}
