/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The messages in the queues of this process's backend. Reading disturbs no service: it takes no
 * lock, registers no consumer and changes nothing. Thread-safe; one reader at a time.
 *
 * <p>A message is a map with the fields that the command {@code queue dump} prints. Without values
 * it has no arguments, no SQL text that is not in the catalogue, and no message of a database.
 *
 * <p>Every method throws {@link io.forebay.queue.QueueUnavailable} if the queues cannot be read
 * now, and {@link io.forebay.queue.QueueFailed} if they cannot be read.
 */
public interface Messages {

  /** The most positions of a page. */
  int MAX_LIMIT = 200;

  /** The queues that exist now, by name. */
  List<Listed> queues();

  /**
   * The messages of one partition before a position. With an id or a key it searches for messages
   * that have it, back from that position; it ends when it has found some, and after a limited
   * time.
   *
   * @return empty if there is no such queue or partition
   * @throws IllegalArgumentException if the limit is not valid
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
   * Which messages are wanted.
   *
   * @param before only messages before this position; null for the newest
   * @param id of the message, or null
   * @param key its idempotency key, or null
   * @param limit how many positions a page without id and key has, from 1 to {@link #MAX_LIMIT}
   */
  record Search(
      String queue,
      int partition,
      @Nullable Long before,
      @Nullable UUID id,
      @Nullable String key,
      int limit) {

    /** Whether it is for an id or a key. */
    public boolean isFiltered() {
      return id != null || key != null;
    }
  }

  /**
   * Messages of a partition, newest first.
   *
   * @param first the first position kept in the partition
   * @param begin the first position that was looked at
   * @param before the position up to which it was looked
   * @param end the end of the partition
   */
  record Page(
      Queue queue,
      int partition,
      List<Map<String, Object>> messages,
      long first,
      long begin,
      long before,
      long end) {}
}
