/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.machine.Machine;
import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.Level;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Ownership;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.time.AppendTimes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A topic of a {@link Cluster} as one process uses it. It behaves as Kafka's. */
final class ClusterQueue implements MessageQueue {

  private static final Capabilities CAPABILITIES =
      new Capabilities(Level.REPLICATED, false, Capabilities.MAX_MESSAGE_BYTES);

  /** A reader that looks more often costs the simulation more than it shows. */
  static final long LEAST_WAIT_NANOS = 20_000_000;

  final Cluster cluster;
  final Cluster.Topic topic;
  final ClusterFaults faults;
  private final Consumer<ClusterQueue> onClose;
  private final AppendTimes appendTimes;
  private final Map<Integer, Refusal> refusals = new ConcurrentHashMap<>();
  private final Map<String, ClusterSubscription> subscriptions = new ConcurrentHashMap<>();
  private final List<ClusterAppender> appenders = new CopyOnWriteArrayList<>();
  private volatile boolean accepting = true;
  private volatile boolean closed;

  /**
   * Why a partition is refused.
   *
   * @param untilMoved whether that ends when another instance takes the partition
   */
  private record Refusal(String why, boolean untilMoved, Instant since) {}

  ClusterQueue(
      Cluster cluster, Cluster.Topic topic, ClusterFaults faults, Consumer<ClusterQueue> onClose) {
    this.cluster = cluster;
    this.topic = topic;
    this.faults = faults;
    this.onClose = onClose;
    appendTimes = new AppendTimes(topic.partitions.size());
  }

  /** Does something on the brokers, which takes a moment. */
  <R> R ask(Supplier<R> what) {
    faults.pause();
    mustRespond();
    Machine.park(faults.roundTripNanos());
    mustRespond();
    R answer = locked(what);
    if (faults.answerIsLost()) {
      throw new QueueUnavailable("the answer of the brokers was lost", null);
    }
    return answer;
  }

  private void mustRespond() {
    if (cluster.isAway()) {
      throw new QueueUnavailable("the brokers do not respond", null);
    }
  }

  <R> R locked(Supplier<R> what) {
    cluster.lock.lock();
    try {
      return what.get();
    } finally {
      cluster.lock.unlock();
    }
  }

  Cluster.Log log(int partition) {
    checkPartition(partition);
    return topic.partitions.get(partition);
  }

  @Override
  public String name() {
    return topic.name;
  }

  @Override
  public String identity() {
    return topic.identity;
  }

  @Override
  public int partitions() {
    return topic.partitions.size();
  }

  @Override
  public Capabilities capabilities() {
    return CAPABILITIES;
  }

  @Override
  public boolean shared() {
    return true;
  }

  @Override
  public Optional<QueueOutage> outage() {
    return cluster.isAway()
        ? Optional.of(
            new QueueOutage(
                QueueRefused.Reason.UNAVAILABLE, "the brokers do not respond", Instant.EPOCH))
        : Optional.empty();
  }

  @Override
  public AppendTimes appendTimes() {
    return appendTimes;
  }

  @Override
  public Appender appender() {
    mustBeOpen();
    ClusterAppender appender = new ClusterAppender(this);
    appenders.add(appender);
    return appender;
  }

  void forget(ClusterAppender appender) {
    appenders.remove(appender);
  }

  @Override
  public Appender answers(int partition) {
    return answers(partition, (ClusterSubscription) null);
  }

  @Override
  public Appender answers(int partition, Subscription consumer) {
    return answers(partition, (ClusterSubscription) consumer);
  }

  private Appender answers(int partition, @Nullable ClusterSubscription consumer) {
    mustBeOpen();
    Cluster.Log log = log(partition);
    long epoch =
        ask(() -> {
          log.complete(false);
          return ++log.epoch;
        });
    return new AnswerAppender(this, partition, epoch, consumer);
  }

  void mustAccept(int partition) {
    if (!accepting) {
      throw new QueueRefused(QueueRefused.Reason.CLOSED, "queue " + name() + " is closed");
    }
    Refusal refusal = refusals.get(partition);
    if (refusal != null) {
      throw new QueueRefused(QueueRefused.Reason.FAILED, refusal.why());
    }
    if (cluster.isAway()) {
      throw unavailable("the brokers do not respond");
    }
    mustNotBeDrained(partition);
  }

  void mustNotBeDrained(int partition) {
    if (log(partition).drained) {
      throw unavailable("the partition was drained");
    }
  }

  private static QueueRefused unavailable(String why) {
    return new QueueRefused(
        QueueRefused.Reason.UNAVAILABLE, Double.NaN, Duration.ofSeconds(1), why);
  }

  @Override
  public Tailer tailer(int partition) {
    mustBeOpen();
    return new ClusterTailer(partition, log(partition));
  }

  @Override
  public Subscription subscribe(String consumer, PartitionListener listener) {
    mustBeOpen();
    ClusterSubscription subscription = new ClusterSubscription(this, consumer, listener);
    if (subscriptions.putIfAbsent(consumer, subscription) != null) {
      throw new IllegalStateException("consumer " + consumer + " is subscribed");
    }
    subscription.start();
    return subscription;
  }

  void left(ClusterSubscription subscription) {
    subscriptions.remove(subscription.consumer(), subscription);
  }

  @Override
  public void skipTo(int partition, long position) {
    throw new UnsupportedOperationException("the brokers assign positions");
  }

  @Override
  public void stopAccepting() {
    accepting = false;
  }

  @Override
  public void refuse(int partition, String why) {
    checkPartition(partition);
    refusals.put(partition, new Refusal(why, false, Machine.now()));
  }

  @Override
  public void refuseUntilMoved(int partition, String why) {
    checkPartition(partition);
    refusals.putIfAbsent(partition, new Refusal(why, true, Machine.now()));
  }

  void reassigned(int partition) {
    refusals.computeIfPresent(partition, (_, refusal) -> refusal.untilMoved() ? null : refusal);
  }

  @Override
  public boolean drained(int partition) {
    Cluster.Log log = log(partition);
    ask(() -> log.drained = true);
    return appenders.stream().noneMatch(it -> it.isAppending(partition));
  }

  @Override
  public void agreed(int partition) {
    Cluster.Log log = log(partition);
    if (log.drained) {
      ask(() -> log.drained = false);
    }
    refusals.remove(partition);
  }

  @Override
  public Optional<GroupOffset> offset(String consumer, int partition) {
    mustBeOpen();
    checkPartition(partition);
    return ask(() ->
        Optional.ofNullable(topic.groups.get(consumer)).map(group -> group.offsets[partition]));
  }

  @Override
  public QueueStats stats(int partition) {
    mustBeOpen();
    Cluster.Log log = log(partition);
    return locked(() -> {
      Map<String, Long> passed = new HashMap<>();
      topic.groups.forEach((name, group) -> {
        if (group.offsets[partition] != null) {
          passed.put(name, group.offsets[partition].position());
        }
      });
      Refusal refusal = refusals.get(partition);
      return new QueueStats(
          OptionalLong.of(0),
          OptionalLong.of(log.end),
          OptionalLong.of(1),
          OptionalLong.of(log.end),
          passed,
          refusal != null
              ? new QueueStats.Refusal(QueueRefused.Reason.FAILED, Double.NaN, refusal.since())
              : log.drained
                  ? new QueueStats.Refusal(
                      QueueRefused.Reason.UNAVAILABLE, Double.NaN, Machine.now())
                  : null);
    });
  }

  boolean isClosed() {
    return closed;
  }

  void mustBeOpen() {
    if (closed) {
      throw new IllegalStateException("queue " + name() + " is closed; reopen it");
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    accepting = false;
    List.copyOf(subscriptions.values()).forEach(ClusterSubscription::close);
    appenders.forEach(ClusterAppender::settle);
    closed = true;
    appenders.forEach(ClusterAppender::wake);
    locked(() -> {
      topic.wake();
      return true;
    });
    onClose.accept(this);
  }

  @Override
  public String toString() {
    return "queue " + name();
  }

  /** Reads what is committed. */
  private final class ClusterTailer implements Tailer {

    private final int number;
    private final Cluster.Log log;
    private long position;

    /**
     * Whether it has fetched since it moved: only then it notices that what it read was cut off.
     */
    private boolean hasFetched;

    private int cutsSeen;
    private volatile @Nullable Thread thread;
    private volatile boolean woken;
    private volatile boolean tailerClosed;

    ClusterTailer(int number, Cluster.Log log) {
      this.number = number;
      this.log = log;
      cutsSeen = log.cuts;
    }

    private long overGap(long from) {
      Long next = log.messages.ceilingKey(from);
      return next == null || next >= log.readable() ? Math.max(from, log.readable()) : next;
    }

    private void mustBeUsable() {
      if (tailerClosed) {
        throw new IllegalStateException("the tailer is closed");
      }
      mustBeOpen();
    }

    @Override
    public int partition() {
      return number;
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public long end() {
      mustBeUsable();
      return ask(() -> log.end);
    }

    @Override
    public long readableEnd() {
      mustBeUsable();
      return ask(log::readable);
    }

    @Override
    public void seek(long to) {
      mustBeUsable();
      long end = ask(() -> log.end);
      if (to < 0 || to > end) {
        throw new PositionOutOfRange(name(), number, to, 0, end);
      }
      moveTo(to);
    }

    @Override
    public void toStart() {
      mustBeUsable();
      moveTo(ask(() -> 0L));
    }

    @Override
    public void toEnd() {
      mustBeUsable();
      moveTo(ask(log::readable));
    }

    private void moveTo(long to) {
      position = to;
      hasFetched = false;
      cutsSeen = log.cuts;
    }

    /** As a consumer of Kafka, which knows the epoch of the last record that it fetched. */
    private void mustBeInRange() {
      boolean cut = cutsSeen != log.cuts && hasFetched && position > log.cutAt;
      if (cut) {
        throw new QueueFailed(
            "partition %d of %s is cut off before %,d, see docs/operations.md, \"A queue returned to an older state\""
                .formatted(number, name(), position),
            null);
      }
      if (position > log.end) {
        throw new PositionOutOfRange(name(), number, position, 0, log.end);
      }
      cutsSeen = log.cuts;
    }

    @Override
    public int poll(int max, MessageHandler handler) {
      faults.pause();
      mustRespond();
      int count = 0;
      while (count < max) {
        mustBeUsable();
        byte[] message =
            locked(() -> {
              mustBeInRange();
              position = overGap(position);
              return position < log.readable() ? log.messages.get(position) : null;
            });
        if (message == null) {
          return count;
        }
        handler.handle(position, ByteBuffer.wrap(message.clone()));
        position = locked(() -> overGap(position + 1));
        hasFetched = true;
        count++;
      }
      return count;
    }

    @Override
    public void await(Duration atMost) {
      thread = Thread.currentThread();
      boolean nothing =
          locked(() -> {
            topic.waiting.add(Thread.currentThread());
            return overGap(position) >= log.readable();
          });
      if (nothing && !woken && !closed) {
        Machine.park(Math.max(atMost.toNanos(), LEAST_WAIT_NANOS));
      }
      woken = false;
      thread = null;
      locked(() -> topic.waiting.remove(Thread.currentThread()));
    }

    @Override
    public void wake() {
      woken = true;
      Thread asleep = thread;
      if (asleep != null) {
        LockSupport.unpark(asleep);
      }
    }

    @Override
    public void close() {
      tailerClosed = true;
    }
  }

  /** Whether an instance owns a partition. */
  Ownership ownership(String consumer, int partition) {
    return locked(() ->
        cluster.group(topic, consumer).owners[partition] != null
            ? Ownership.owned()
            : new Ownership(Ownership.Kind.NOBODY, Machine.now(), "no instance owns it"));
  }
}
