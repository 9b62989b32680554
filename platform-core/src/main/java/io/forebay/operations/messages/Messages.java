/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import io.forebay.machine.Machine;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
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
public final class Messages {

  /** The most positions of a page. */
  public static final int MAX_LIMIT = 200;

  /** How many positions a search reads at a time, since a queue is read forwards. */
  private static final long STRETCH = 1_000;

  private static final Duration LONGEST = Duration.ofSeconds(2);

  /** How long a search waits for the end of another one. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final StoredQueues stored;
  private final StatementNames names;
  private final Services services;
  private final Duration longest;
  private final ReentrantLock reading = new ReentrantLock();

  /**
   * @param stored is read by one thread at a time
   */
  public Messages(StoredQueues stored, StatementNames names, Services services) {
    this(stored, names, services, LONGEST);
  }

  /**
   * @param longest after which a search ends, although it found nothing
   */
  Messages(StoredQueues stored, StatementNames names, Services services, Duration longest) {
    this.stored = stored;
    this.names = names;
    this.services = services;
    this.longest = longest;
  }

  /** The queues that exist now, by name. */
  public List<Listed> queues() {
    return alone(() -> stored.queues().stream().map(this::listed).toList());
  }

  private Listed listed(StoredQueue queue) {
    Queue about = about(queue);
    return new Listed(
        about,
        IntStream.range(0, about.partitions())
            .mapToObj(it -> figures(queue, it, stored.contiguous()))
            .toList());
  }

  /**
   * The figures of a partition, as {@code queue ls} prints them.
   *
   * @param contiguous whether each position is a message
   */
  public static Map<String, Object> figures(StoredQueue queue, int partition, boolean contiguous) {
    QueueStats stats = queue.stats(partition);
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("partition", partition);
    stats.first().ifPresent(first -> fields.put("first", first));
    stats.end().ifPresent(end -> fields.put("next", end));
    if (stats.first().isPresent() && stats.end().isPresent()) {
      long positions = stats.end().getAsLong() - stats.first().getAsLong();
      fields.put(contiguous ? "messages" : "messagesAtMost", positions);
    }
    stats.bytes().ifPresent(bytes -> fields.put("bytes", bytes));
    if (!stats.passed().isEmpty()) {
      fields.put("consumers", stats.passed());
    }
    return fields;
  }

  /** A queue is [in, out] of a service; of a pipeline, also the out-queue of the stage before. */
  private Queue about(StoredQueue queue) {
    String name = queue.name();
    String service =
        services.find(name.replaceFirst("\\.dead$", "")).map(ServiceOperations::name).orElse(null);
    String calls = null;
    String answers = null;
    for (ServiceOperations one : services.all()) {
      List<String> both = one.queues();
      if (both.getFirst().equals(name)) {
        service = one.name();
        answers = both.getLast();
      } else if (both.getLast().equals(name)) {
        service = service == null ? one.name() : service;
        calls = both.getFirst();
      }
    }
    return new Queue(name, queue.partitions(), service, calls, answers);
  }

  /**
   * The messages of one partition before a position. With an id or a key it searches for messages
   * that have it, back from that position; it ends when it has found some, and after a limited
   * time.
   *
   * @return empty if there is no such queue or partition
   * @throws IllegalArgumentException if the limit is not valid
   */
  public Optional<Page> page(Search search) {
    if (search.limit() < 1 || search.limit() > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit is %d, allowed: 1 to %d".formatted(search.limit(), MAX_LIMIT));
    }
    return alone(() -> queue(search.queue(), search.partition()).map(queue -> page(queue, search)));
  }

  private Page page(StoredQueue queue, Search search) {
    try (PartitionReader reader = new PartitionReader(queue, search.partition())) {
      long first = reader.toStart();
      long end = Math.max(first, reader.end());
      long before = search.before() == null ? end : Math.clamp(search.before(), first, end);
      List<Map<String, Object>> found = new ArrayList<>();
      long begin;
      if (search.isFiltered()) {
        begin = search(reader, search, first, before, found);
      } else {
        begin = Math.max(first, before - search.limit());
        reader.read(begin, before, message -> found.add(message.fields(names, false)));
      }
      return new Page(
          about(queue), search.partition(), found.reversed(), first, begin, before, end);
    }
  }

  /**
   * Searches backwards, until it finds something or its time is over.
   *
   * @return where it ended
   */
  private long search(
      PartitionReader reader,
      Search search,
      long first,
      long before,
      List<Map<String, Object>> found) {
    long begun = Machine.nanos();
    long low = before;
    do {
      long high = low;
      low = Math.max(first, high - STRETCH);
      reader.read(
          low,
          high,
          message -> {
            message
                .singly()
                .filter(it -> it.has(search.id(), search.key()))
                .forEach(it -> found.add(it.fields(names, false)));
            return true;
          });
    } while (found.isEmpty() && low > first && Machine.nanos() - begun < longest.toNanos());
    return low;
  }

  private Optional<StoredQueue> queue(String name, int partition) {
    return stored.queues().stream()
        .filter(it -> it.name().equals(name))
        .filter(it -> partition >= 0 && partition < it.partitions())
        .findFirst();
  }

  /**
   * One message.
   *
   * @param values whether to show arguments and values, which may be personal data: the caller
   *     records that somebody looked at them
   * @return empty if there is no such message, for example because it was deleted
   */
  public Optional<Map<String, Object>> message(
      String name, int partition, long position, boolean values) {
    return alone(() -> one(name, partition, position, values));
  }

  private Optional<Map<String, Object>> one(
      String name, int partition, long position, boolean values) {
    List<Map<String, Object>> read = new ArrayList<>();
    queue(name, partition)
        .ifPresent(queue -> {
          try (PartitionReader reader = new PartitionReader(queue, partition)) {
            if (position >= 0 && position < reader.end()) {
              reader.read(
                  position,
                  position + 1,
                  message ->
                      message.position() == position && read.add(message.fields(names, values)));
            }
          }
        });
    return read.stream().findFirst();
  }

  /** The caller does not wait behind others for ever, such as while brokers do not respond. */
  private <T> T alone(Supplier<T> read) {
    try {
      if (!Machine.lock(reading, PATIENCE)) {
        throw new QueueUnavailable(
            "another search of the queues is running; retry in a moment", null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable("interrupted while waiting for the end of another search", e);
    }
    try {
      return read.get();
    } finally {
      reading.unlock();
    }
  }

  /**
   * A queue.
   *
   * @param partitions how many it has
   * @param service the service of this process that reads it, or else the one that answers in it;
   *     null if there is none
   * @param calls the queue whose messages this one answers, or null
   * @param answers the queue in which messages of this one are answered, or null
   */
  public record Queue(
      String name,
      int partitions,
      @Nullable String service,
      @Nullable String calls,
      @Nullable String answers) {}

  /**
   * @param partitions the figures of each partition, as {@code queue ls} prints them
   */
  public record Listed(Queue queue, List<Map<String, Object>> partitions) {}

  /**
   * Which messages are wanted.
   *
   * @param before only messages before this position; null for the newest
   * @param id of the message, or null
   * @param key its idempotency key, or null
   * @param limit how many positions a page without id and key has, from 1 to {@link #MAX_LIMIT}
   */
  public record Search(
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
  public record Page(
      Queue queue,
      int partition,
      List<Map<String, Object>> messages,
      long first,
      long begin,
      long before,
      long end) {}
}
