/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeLogDirsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The space that the open topics take on the brokers' disks, read every ten seconds. Of several
 * brokers, the fullest log directory counts, since the first full one stops its partitions. One
 * thread queries the brokers; any thread may read the figures.
 */
final class Disks {

  static final Duration EVERY = Duration.ofSeconds(10);

  /** A time longer than any disk lasts, for topics that keep messages for ever. */
  private static final Duration FOR_EVER = Duration.ofDays(3650);

  /**
   * Brokers do not report their segments, so the bytes are assumed to be spread evenly over their
   * time.
   */
  private static final int SLICES = 24;

  private final Topics topics;
  private final Map<Replica, Long> sizes = new HashMap<>();
  private final Map<Directory, Map<String, Counted>> counters = new HashMap<>();
  private volatile Map<TopicPartition, Long> bytes = Map.of();
  private volatile Storage storage = unknown();
  private final Map<String, Topic> known = new ConcurrentHashMap<>();

  private record Directory(int broker, String path) {}

  private record Replica(Directory directory, TopicPartition partition) {}

  /** Bytes of one topic in one directory that were appended and deleted since the start. */
  private record Counted(long appended, long deleted) {
    Counted changed(long by) {
      return by > 0 ? new Counted(appended + by, deleted) : new Counted(appended, deleted - by);
    }
  }

  Disks(Topics topics) {
    this.topics = topics;
  }

  private static Storage unknown() {
    return new Storage(
        Instant.now(),
        Path.of("unknown"),
        new BrokerDisk("no broker has responded yet", OptionalLong.empty(), OptionalLong.empty()),
        0,
        Duration.ZERO,
        List.of());
  }

  /** The size of the largest replica of a partition; empty if no broker reports it. */
  OptionalLong bytes(TopicPartition partition) {
    Long size = bytes.get(partition);
    return size == null ? OptionalLong.empty() : OptionalLong.of(size);
  }

  /** The fullest directory, as last reported. */
  Storage storage() {
    return storage;
  }

  void forget(Topic topic) {
    known.remove(topic.name());
  }

  /**
   * Asks the brokers.
   *
   * @throws QueueUnavailable if they do not respond; then the figures are unknown
   * @throws QueueFailed if they refuse this client; then the figures are unknown
   */
  void look(List<Topic> open) {
    open.forEach(topic -> known.put(topic.name(), topic));
    try {
      read();
    } catch (QueueFailed | QueueUnavailable e) {
      bytes = Map.of();
      storage = unknown();
      throw e;
    }
  }

  private void read() {
    Admin admin = topics.admin();
    List<Integer> brokers =
        topics
            .get(
                admin
                    .describeCluster(new DescribeClusterOptions().timeoutMs(Topics.QUICK_MILLIS))
                    .nodes())
            .stream()
            .map(Node::id)
            .toList();
    Map<Directory, LogDirDescription> all = new HashMap<>();
    topics
        .get(
            admin
                .describeLogDirs(
                    brokers, new DescribeLogDirsOptions().timeoutMs(Topics.QUICK_MILLIS))
                .allDescriptions())
        .forEach((broker, directories) ->
            directories.forEach((path, it) -> all.put(new Directory(broker, path), it)));
    Map<TopicPartition, Long> largest = new HashMap<>();
    all.forEach((directory, it) -> count(directory, it, largest));
    sizes.keySet().removeIf(it -> !holds(all.get(it.directory()), it.partition()));
    bytes = Map.copyOf(largest);
    storage =
        all.entrySet().stream()
            .filter(it -> counters.containsKey(it.getKey()))
            .min(Comparator.comparingDouble(it -> freeShare(it.getValue())))
            .map(it -> storage(it.getKey(), it.getValue()))
            .orElseGet(Disks::unknown);
  }

  private void count(
      Directory directory, LogDirDescription told, Map<TopicPartition, Long> largest) {
    told.replicaInfos()
        .forEach((partition, replica) -> {
          if (!known.containsKey(partition.topic()) || replica.isFuture()) {
            return;
          }
          Long before = sizes.put(new Replica(directory, partition), replica.size());
          counters
              .computeIfAbsent(directory, _ -> new HashMap<>())
              .merge(
                  partition.topic(),
                  new Counted(0, 0),
                  (counted, _) -> counted.changed(before == null ? 0 : replica.size() - before));
          largest.merge(partition, replica.size(), Math::max);
        });
  }

  private static boolean holds(@Nullable LogDirDescription told, TopicPartition partition) {
    return told != null && told.replicaInfos().containsKey(partition);
  }

  private static double freeShare(LogDirDescription told) {
    return told.totalBytes().isPresent()
            && told.usableBytes().isPresent()
            && told.totalBytes().getAsLong() > 0
        ? (double) told.usableBytes().getAsLong() / told.totalBytes().getAsLong()
        : 1;
  }

  private Storage storage(Directory directory, LogDirDescription told) {
    Instant now = Instant.now();
    Map<String, Counted> counted = counters.getOrDefault(directory, Map.of());
    List<Storage.OfQueue> queues = new ArrayList<>();
    for (Topic topic : known.values().stream().sorted(Comparator.comparing(Topic::name)).toList()) {
      Counted one = counted.get(topic.name());
      if (one != null) {
        queues.add(
            new Storage.OfQueue(
                topic.name(),
                topic.settings().retention().orElse(FOR_EVER),
                one.appended(),
                one.deleted(),
                files(directory, topic, now)));
      }
    }
    return new Storage(
        now,
        Path.of("broker " + directory.broker() + " " + directory.path()),
        new BrokerDisk(
            "broker %d does not report it".formatted(directory.broker()),
            told.totalBytes(),
            told.usableBytes()),
        0,
        Duration.ZERO,
        queues);
  }

  private List<Storage.File> files(Directory directory, Topic topic, Instant now) {
    if (topic.all().stream()
        .noneMatch(partition -> sizes.containsKey(new Replica(directory, partition)))) {
      return List.of(); // for a deleted topic, brokers respond late or never
    }
    List<Storage.File> files = new ArrayList<>();
    oldest(topic)
        .forEach((partition, begun) -> {
          Long size = sizes.get(new Replica(directory, partition));
          if (size != null) {
            files.addAll(slices(partition, size, begun, now));
          }
        });
    return files;
  }

  private static List<Storage.File> slices(
      TopicPartition partition, long size, Instant begun, Instant now) {
    Duration step = Duration.between(begun, now).dividedBy(SLICES);
    return IntStream.range(0, SLICES)
        .mapToObj(i -> {
          Instant from = begun.plus(step.multipliedBy(i));
          return new Storage.File(
              "%s, part %d of %d by age".formatted(partition, i + 1, SLICES),
              size / SLICES,
              from,
              from.plus(step),
              i == SLICES - 1,
              Set.of());
        })
        .toList();
  }

  /**
   * When the oldest record of each partition was written; omits empty partitions and deleted
   * topics.
   */
  private Map<TopicPartition, Instant> oldest(Topic topic) {
    Map<TopicPartition, OffsetSpec> asked =
        topic.all().stream().collect(Collectors.toMap(it -> it, _ -> OffsetSpec.forTimestamp(0)));
    Map<TopicPartition, Instant> oldest = new HashMap<>();
    try {
      topics
          .get(
              topics
                  .admin()
                  .listOffsets(asked, new ListOffsetsOptions().timeoutMs(Topics.QUICK_MILLIS))
                  .all())
          .forEach((partition, told) -> {
            if (told.timestamp() >= 0) {
              oldest.put(partition, Instant.ofEpochMilli(told.timestamp()));
            }
          });
    } catch (UnknownTopicOrPartitionException e) {
      // deleted
    }
    return oldest;
  }

  /** The volume of a broker's log directory, as the broker reports it. Immutable. */
  private static final class BrokerDisk extends FileStore {

    private final String unknown;
    private final OptionalLong total;
    private final OptionalLong usable;

    /**
     * @param unknown the explanation of an empty figure
     */
    BrokerDisk(String unknown, OptionalLong total, OptionalLong usable) {
      this.unknown = unknown;
      this.total = total;
      this.usable = usable;
    }

    /** The same for every broker, whichever is the fullest. */
    @Override
    public String name() {
      return "Kafka brokers";
    }

    @Override
    public String type() {
      return "kafka";
    }

    @Override
    public boolean isReadOnly() {
      return false;
    }

    @Override
    public long getTotalSpace() throws IOException {
      return told(total);
    }

    @Override
    public long getUsableSpace() throws IOException {
      return told(usable);
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
      return told(usable);
    }

    private long told(OptionalLong figure) throws IOException {
      if (figure.isEmpty()) {
        throw new IOException(unknown);
      }
      return figure.getAsLong();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
      return false;
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
      return false;
    }

    @Override
    public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
      return null;
    }

    @Override
    public Object getAttribute(String attribute) {
      throw new UnsupportedOperationException("a broker does not report attribute " + attribute);
    }
  }
}
