/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.hosting.messages.Look.Found;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.operations.messages.Life;
import io.forebay.operations.messages.Messages;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Shows the messages in the queues of a backend. */
public final class StoredMessages implements Messages {

  /** How many messages a search looks at, in all partitions together. */
  static final long MOST_LOOKED_AT = 100_000;

  /** Each partition has a reader of its own: on Kafka, a consumer. */
  static final int MOST_FOLLOWED = 32;

  private static final Duration LONGEST = Duration.ofSeconds(2);
  private static final long PATIENCE_SECONDS = 20;

  private final StoredQueues stored;
  private final StatementNames names;
  private final Services services;
  private final long most;
  private final ReentrantLock reading = new ReentrantLock();

  /**
   * @param stored is read by one thread at a time
   */
  public StoredMessages(StoredQueues stored, StatementNames names, Services services) {
    this(stored, names, services, MOST_LOOKED_AT);
  }

  StoredMessages(StoredQueues stored, StatementNames names, Services services, long most) {
    this.stored = stored;
    this.names = names;
    this.services = services;
    this.most = most;
  }

  @Override
  public List<Listed> queues() {
    return alone(() -> stored.queues().stream().map(this::listed).toList());
  }

  private Listed listed(StoredQueue queue) {
    Queue about = about(queue);
    List<Integer> partitions = IntStream.range(0, about.partitions()).boxed().toList();
    return new Listed(about, Listing.partitions(queue, partitions, stored.contiguous()));
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

  private static void mustBeValid(Search search) {
    if (search.limit() < 1 || search.limit() > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit is %d, allowed: 1 to %d".formatted(search.limit(), MAX_LIMIT));
    }
    if (one(search.from()) + one(search.before()) + one(search.after()) > 1) {
      throw new IllegalArgumentException("\"from\", \"before\" and \"after\" exclude one another");
    }
  }

  @Override
  public Optional<Page> page(Search search) {
    mustBeValid(search);
    String cursor = search.before() == null ? search.after() : search.before();
    Instant begun = search.from() == null && cursor == null ? begun(search.id()) : null;
    Selection selection =
        new Selection(
            begun == null ? bound(search.from()) : new Bound(-1, begun),
            null,
            search.id(),
            search.key(),
            search.statement());
    Map<Integer, Long> places = cursor == null ? Map.of() : Places.of(cursor);
    return alone(() -> {
      StoredQueue queue = queue(search.queue(), search.partition());
      return queue == null
          ? Optional.empty()
          : Optional.of(page(queue, search, selection, places, begun));
    });
  }

  /**
   * The time before which no message with an id was appended: a UUIDv7 begins with the time at
   * which it was made. Null if the id does not say.
   */
  private static @Nullable Instant begun(@Nullable UUID id) {
    if (id == null || id.version() != 7) {
      return null;
    }
    Instant made = Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16);
    return made.isAfter(Instant.now()) ? null : made.minus(Bound.DISORDER);
  }

  private static int one(@Nullable String given) {
    return given == null ? 0 : 1;
  }

  private static @Nullable Bound bound(@Nullable String from) {
    try {
      return from == null ? null : Bound.of(from);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("\"from\" " + e.getMessage(), e);
    }
  }

  private @Nullable StoredQueue queue(String name, @Nullable Integer partition) {
    return stored.queues().stream()
        .filter(it -> it.name().equals(name))
        .filter(it -> partition == null || (partition >= 0 && partition < it.partitions()))
        .findFirst()
        .orElse(null);
  }

  private Page page(
      StoredQueue queue,
      Search search,
      Selection selection,
      Map<Integer, Long> places,
      @Nullable Instant begun) {
    Queue about = about(queue);
    boolean back = selection.from() == null && search.after() == null;
    int limit = begun == null ? search.limit() : 1;
    List<Integer> partitions = partitions(search, about.partitions());
    List<Look> looks = new ArrayList<>();
    long looked = 0;
    for (int partition : partitions) {
      Effort effort = new Effort(most / partitions.size(), LONGEST.dividedBy(partitions.size()));
      try (PartitionScan scan = new PartitionScan(queue, partition, selection, false, names)) {
        looks.add(
            back
                ? scan.back(places.getOrDefault(partition, Long.MAX_VALUE), limit, effort)
                : scan.forth(places.getOrDefault(partition, -1L), limit, effort));
      }
      looked += effort.looked();
    }
    return new Merge(partitions, looks, back, limit)
        .page(about, search.before() != null, looked, begun);
  }

  private static List<Integer> partitions(Search search, int all) {
    return search.partition() == null
        ? IntStream.range(0, all).boxed().toList()
        : List.of(search.partition());
  }

  /** Merges what was found in the partitions by time. */
  private static final class Merge {

    private final List<Integer> partitions;
    private final List<Look> looks;
    private final boolean back;
    private final int limit;
    private final int[] taken;
    private final List<Map<String, Object>> messages = new ArrayList<>();

    Merge(List<Integer> partitions, List<Look> looks, boolean back, int limit) {
      this.partitions = partitions;
      this.looks = looks;
      this.back = back;
      this.limit = limit;
      taken = new int[looks.size()];
      Comparator<Integer> byTime = Comparator.comparing(it -> head(it).time());
      for (int i = 0; i < limit; i++) {
        Optional<Integer> next =
            IntStream.range(0, looks.size())
                .filter(it -> taken[it] < looks.get(it).found().size())
                .boxed()
                .min(back ? byTime.reversed() : byTime);
        next.ifPresent(it -> {
          messages.add(head(it).fields());
          taken[it]++;
        });
      }
    }

    private Found head(int index) {
      return looks.get(index).found().get(taken[index]);
    }

    Page page(Queue queue, boolean withNewer, long looked, @Nullable Instant begin) {
      Map<Integer, Long> begun = new TreeMap<>();
      Map<Integer, Long> reached = new TreeMap<>();
      for (int i = 0; i < looks.size(); i++) {
        begun.put(partitions.get(i), looks.get(i).begun());
        reached.put(partitions.get(i), reached(i));
      }
      boolean more =
          IntStream.range(0, looks.size())
              .anyMatch(it -> looks.get(it).hasMore() || taken[it] < looks.get(it).found().size());
      String next = more ? Places.text(reached) : null;
      return back
          ? new Page(
              queue,
              messages,
              next,
              withNewer ? Places.text(begun) : null,
              looked,
              more ? time(Comparator.reverseOrder()) : null,
              begin)
          : new Page(
              queue,
              messages.reversed(),
              looks.stream().anyMatch(Look::hasOlder) ? Places.text(begun) : null,
              next,
              looked,
              more ? time(Comparator.naturalOrder()) : null,
              begin);
    }

    /** Where to continue: behind what was taken. */
    private long reached(int index) {
      Look look = looks.get(index);
      if (taken[index] == look.found().size()) {
        return look.reached();
      }
      if (taken[index] == 0) {
        return look.begun();
      }
      long last = look.found().get(taken[index] - 1).position();
      return back ? last : last + 1;
    }

    /** The time up to which every partition was looked at. */
    private @Nullable Instant time(Comparator<Instant> order) {
      return messages.size() == limit
          ? null
          : looks.stream()
              .filter(Look::hasMore)
              .map(Look::time)
              .filter(Objects::nonNull)
              .min(order)
              .orElse(null);
    }
  }

  @Override
  public Optional<Map<String, Object>> message(
      String name, int partition, long position, boolean values) {
    Selection any = new Selection(null, null, null, null, null);
    return alone(() -> {
      StoredQueue queue = queue(name, partition);
      if (queue == null || position < 0) {
        return Optional.empty();
      }
      try (PartitionScan scan = new PartitionScan(queue, partition, any, values, names)) {
        return Optional.ofNullable(scan.at(position));
      }
    });
  }

  @Override
  public Optional<Life> life(String name, int partition, long position) {
    return alone(() -> {
      Map<String, StoredQueue> queues = new HashMap<>();
      stored.queues().forEach(queue -> queues.put(queue.name(), queue));
      return new Lives(queues::get, names, services).of(name, partition, position);
    });
  }

  @Override
  public Optional<Tail> tail(Search search) {
    mustBeValid(search);
    if (search.from() != null || search.before() != null) {
      throw new IllegalArgumentException("a live tail has neither \"from\" nor \"before\"");
    }
    Selection selection = new Selection(null, null, search.id(), search.key(), search.statement());
    Map<Integer, Long> places = search.after() == null ? Map.of() : Places.of(search.after());
    return alone(() -> {
      StoredQueue queue = queue(search.queue(), search.partition());
      return queue == null ? Optional.empty() : Optional.of(tail(queue, search, selection, places));
    });
  }

  private Tail tail(
      StoredQueue queue, Search search, Selection selection, Map<Integer, Long> places) {
    List<Integer> partitions = partitions(search, queue.partitions());
    if (partitions.size() > MOST_FOLLOWED) {
      throw new IllegalArgumentException(
          "a live tail follows at most %d partitions, and queue %s has %d; choose one"
              .formatted(MOST_FOLLOWED, queue.name(), partitions.size()));
    }
    List<PartitionScan> scans = new ArrayList<>();
    LiveTail live = new LiveTail(scans, partitions, places, search.limit(), selection.hasFields());
    try {
      for (int partition : partitions) {
        scans.add(new PartitionScan(queue, partition, selection, false, names));
      }
    } catch (RuntimeException e) {
      live.close();
      throw e;
    }
    return new Tail() {
      @Override
      public Optional<News> next() {
        if (!reading.tryLock()) {
          return Optional.empty();
        }
        try {
          return Optional.of(live.next());
        } finally {
          reading.unlock();
        }
      }

      @Override
      public void close() {
        live.close();
      }
    };
  }

  private <T> T alone(Supplier<T> read) {
    try {
      if (!reading.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new QueueUnavailable(
            "another search of the queues is running; retry in a moment", null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable("interrupted while waiting for the end of another search", e);
    }
    try {
      return read.get();
    } catch (PositionOutOfRange e) {
      throw new QueueUnavailable("messages were deleted during the search; search again", e);
    } finally {
      reading.unlock();
    }
  }
}
