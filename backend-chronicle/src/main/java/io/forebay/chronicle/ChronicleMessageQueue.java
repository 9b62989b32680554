/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.Pretouch;
import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.chronicle.file.QueueSettings;
import io.forebay.chronicle.place.QueueProperties;
import io.forebay.chronicle.ring.PartitionRing;
import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.MissingMessages;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.local.LocalSubscription;
import io.forebay.queue.time.AppendTimes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A queue in a directory of its own, with one {@link PartitionLog} for each partition. */
final class ChronicleMessageQueue implements MessageQueue {

  private static final Logger LOG = LoggerFactory.getLogger(ChronicleMessageQueue.class);

  private final String name;
  private final QueueProperties properties;
  private final Level level;
  private final Consumer<ChronicleMessageQueue> onClose;
  private final PartitionLog[] logs;
  private final PartitionForce[] forced;
  private final Consumers consumers;
  private final Committer committer;
  private final AppendTimes appendTimes;
  private final @Nullable Drainer drainer;
  private final @Nullable Pretouch pretouch;
  private final Set<ChronicleTailer> tailers = ConcurrentHashMap.newKeySet();
  private final Set<LocalSubscription> subscriptions = ConcurrentHashMap.newKeySet();
  private final Housekeeping housekeeping;
  private volatile boolean closed;

  /** Held while it is closed, so that whoever closes it too waits for the end of that. */
  private final ReentrantLock closing = new ReentrantLock();

  private volatile boolean stopped;
  private boolean ended;

  ChronicleMessageQueue(
      String name,
      Path directory,
      QueueSettings settings,
      QueueProperties properties,
      ChronicleBackend.Options options,
      Duration kept,
      Consumer<ChronicleMessageQueue> onClose)
      throws IOException {
    this.name = name;
    this.properties = properties;
    this.level = settings.level();
    this.onClose = onClose;
    consumers =
        new Consumers(
            directory,
            properties.partitions(),
            Instant.ofEpochMilli(settings.clock().currentTimeMillis()));
    logs = new PartitionLog[properties.partitions()];
    forced = new PartitionForce[logs.length];
    appendTimes = new AppendTimes(logs.length);
    boolean async = options.writing() == ChronicleBackend.Writing.ASYNC;
    try {
      for (int i = 0; i < logs.length; i++) {
        logs[i] =
            new PartitionLog(
                new PartitionRing.Owner(
                    "partition %d of queue %s".formatted(i, name),
                    directory.resolve(Integer.toString(i)),
                    UUID.fromString(properties.identity()),
                    i,
                    level,
                    settings.host().boot()),
                settings,
                async ? options.ring() : null);
        forced[i] = new PartitionForce(logs[i], settings.host().force());
        consumers.endsAt(i, logs[i].end());
      }
      PrivateFiles.forceDirectory(directory);
    } catch (Throwable e) {
      closeLogs();
      throw e;
    }
    committer = new Committer(name, logs, forced, level == Level.DISK);
    committer.signal();
    drainer = async ? new Drainer(name, logs, committer) : null;
    pretouch =
        options.writing() == ChronicleBackend.Writing.PRETOUCH
            ? new Pretouch(
                name, Arrays.stream(logs).map(PartitionLog::store).toList(), settings.clock())
            : null;
    housekeeping = new Housekeeping(name, logs, consumers, committer, kept, settings.clock());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String identity() {
    return properties.identity();
  }

  @Override
  public int partitions() {
    return logs.length;
  }

  @Override
  public AppendTimes appendTimes() {
    return appendTimes;
  }

  @Override
  public boolean inMemoryFirst() {
    return drainer != null;
  }

  @Override
  public Capabilities capabilities() {
    return new Capabilities(level, true, Capabilities.MAX_MESSAGE_BYTES);
  }

  @Override
  public synchronized Appender appender() {
    checkOpen();
    ChronicleAppender appender = new ChronicleAppender(name, logs, committer, level == Level.DISK);
    committer.add(appender);
    return appender;
  }

  @Override
  public Tailer tailer(int partition) {
    return followers().apply(partition);
  }

  @Override
  public IntFunction<Tailer> followers() {
    List<ChronicleTailer> together = new CopyOnWriteArrayList<>();
    return partition -> tailer(partition, together);
  }

  private synchronized Tailer tailer(int partition, List<ChronicleTailer> together) {
    checkOpen();
    ChronicleTailer tailer = new ChronicleTailer(this, partition, log(partition), together);
    tailers.add(tailer);
    return tailer;
  }

  @Override
  public Subscription subscribe(String consumer, PartitionListener listener) {
    LocalSubscription subscription =
        new LocalSubscription(this, consumer, listener, this::passed, this::left);
    synchronized (this) {
      checkOpen();
      try {
        consumers.subscribe(consumer, partition -> logs[partition].first(), housekeeping.now());
      } catch (IOException e) {
        throw new UncheckedIOException(
            "consumer %s of queue %s cannot be registered".formatted(consumer, name), e);
      }
      subscriptions.add(subscription);
    }
    subscription.start();
    return subscription;
  }

  @Override
  public void skipTo(int partition, long position) {
    checkOpen();
    log(partition).skipTo(position);
  }

  @Override
  public void lost(int partition, long from, long next) {
    checkOpen();
    log(partition).lost(from, next);
  }

  @Override
  public List<MissingMessages> setAside(int partition) {
    checkOpen();
    PartitionLog log = log(partition);
    log.drain();
    try {
      return log.setAside();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "partition %d of queue %s cannot be set aside".formatted(partition, name), e);
    }
  }

  @Override
  public void stopAccepting() {
    checkOpen();
    for (PartitionLog log : logs) {
      stopAppends(log);
    }
  }

  private static void stopAppends(PartitionLog log) {
    log.stopAccepting();
    log.drain();
  }

  @Override
  public void refuse(int partition, String why) {
    log(partition).refuse(why);
  }

  @Override
  public boolean drained(int partition) {
    checkOpen();
    try {
      log(partition).drained();
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "partition %d of queue %s cannot be marked as drained".formatted(partition, name), e);
    }
  }

  @Override
  public void agreed(int partition) {
    checkOpen();
    try {
      log(partition).agreed();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "partition %d of queue %s cannot be used: a file in its directory cannot be deleted"
              .formatted(partition, name),
          e);
    }
  }

  @Override
  public OptionalLong uncompared(int partition) {
    checkOpen();
    return OptionalLong.of(log(partition).uncompared());
  }

  @Override
  public void awaitSafe(int partition, long position) {
    PartitionLog log = log(partition);
    if (level == Level.DISK && log.forced() < position) {
      committer.awaitForced(partition, position);
    }
  }

  @Override
  public QueueStats stats(int partition) {
    checkOpen();
    PartitionLog log = log(partition);
    // Read in this order, so that a concurrent append cannot make one value exceed the next.
    long first = log.first();
    long durable = level == Level.DISK ? log.forced() : log.end();
    long end = log.end();
    return new QueueStats(
        OptionalLong.of(first),
        OptionalLong.of(end),
        OptionalLong.of(log.bytes()),
        OptionalLong.of(durable),
        consumers.passed(partition),
        log.health().refusal(),
        null,
        log.health().damage());
  }

  @Override
  public OptionalLong appendedBytes(int partition) {
    checkOpen();
    return OptionalLong.of(log(partition).appendedBytes());
  }

  PartitionLog log(int partition) {
    checkPartition(partition);
    return logs[partition];
  }

  Housekeeping housekeeping() {
    return housekeeping;
  }

  private void passed(String consumer, int partition, long position) {
    PartitionLog log = log(partition);
    if (position > log.end()) {
      throw new PositionOutOfRange(name, partition, position, log.first(), log.end());
    }
    consumers.passed(consumer, partition, position);
  }

  private void left(LocalSubscription subscription) {
    consumers.unsubscribe(subscription.consumer(), housekeeping.now());
    subscriptions.remove(subscription);
  }

  void forget(ChronicleTailer tailer) {
    tailers.remove(tailer);
    if (stopped) {
      endIfUnused();
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("queue %s is closed".formatted(name));
    }
  }

  @Override
  public void close() {
    closing.lock();
    try {
      if (!closed) {
        stop();
      }
    } finally {
      closing.unlock();
    }
  }

  private void stop() {
    synchronized (this) {
      closed = true;
    }
    boolean interrupted = Thread.interrupted(); // then nothing could be written
    for (PartitionLog log : logs) {
      tryToClose(() -> stopAppends(log));
    }
    subscriptions.forEach(this::tryToClose);
    if (drainer != null) {
      drainer.stop();
    }
    committer.stop();
    if (pretouch != null) {
      pretouch.stop();
    }
    List.copyOf(tailers).forEach(this::tryToClose);
    interrupted |= Thread.interrupted();
    tryToClose(housekeeping);
    stopped = true;
    endIfUnused();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes the files, unless a handler still runs; then its thread closes them. */
  private void endIfUnused() {
    closing.lock();
    try {
      if (stopped && !ended && tailers.isEmpty()) {
        ended = true;
        closeLogs();
        onClose.accept(this);
      }
    } finally {
      closing.unlock();
    }
  }

  private void closeLogs() {
    for (int i = 0; i < logs.length; i++) {
      tryToClose(forced[i]);
      tryToClose(logs[i]);
    }
  }

  /** Whatever one part throws, the others are closed and the data directory is released. */
  private void tryToClose(@Nullable AutoCloseable part) {
    try {
      if (part != null) {
        part.close();
      }
    } catch (Exception | Error e) {
      LOG.warn("queue {}: a part of it could not be closed", name, e);
    }
  }

  @Override
  public String toString() {
    return "queue " + name;
  }
}
