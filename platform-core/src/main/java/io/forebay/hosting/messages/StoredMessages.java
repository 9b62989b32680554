/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.machine.Machine;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.operations.messages.Messages;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Shows the messages in the queues of a backend. */
public final class StoredMessages implements Messages {

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
  public StoredMessages(StoredQueues stored, StatementNames names, Services services) {
    this(stored, names, services, LONGEST);
  }

  /**
   * @param longest after which a search ends, although it found nothing
   */
  StoredMessages(StoredQueues stored, StatementNames names, Services services, Duration longest) {
    this.stored = stored;
    this.names = names;
    this.services = services;
    this.longest = longest;
  }

  @Override
  public List<Listed> queues() {
    return alone(() -> stored.queues().stream().map(this::listed).toList());
  }

  private Listed listed(StoredQueue queue) {
    Queue about = about(queue);
    return new Listed(
        about,
        IntStream.range(0, about.partitions())
            .mapToObj(it -> Listing.of(queue, it, stored.contiguous()))
            .toList());
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

  @Override
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

  @Override
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
}
