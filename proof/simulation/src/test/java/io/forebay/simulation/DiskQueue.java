/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.machine.Machine;
import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.Level;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.MissingMessages;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.local.LocalSubscription;
import io.forebay.queue.time.AppendTimes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a {@link Disk} as one process uses it. It behaves as Chronicle's: a message can be
 * read when it was appended, and is acknowledged when it was forced.
 */
final class DiskQueue implements MessageQueue {

  private static final long FORCE_AGAIN_NANOS = 1_000_000_000;

  /** A reader that looks more often costs the simulation more than it shows. */
  private static final long LEAST_WAIT_NANOS = 20_000_000;

  private final Disk.Stored stored;
  private final Capabilities capabilities;
  private final QueueFaults faults;
  private final Consumer<DiskQueue> onClose;
  private final AppendTimes appendTimes;
  private final Map<Integer, Refusal> refusals = new ConcurrentHashMap<>();
  private final Map<String, LocalSubscription> subscriptions = new ConcurrentHashMap<>();
  private final List<DiskAppender> appenders = new CopyOnWriteArrayList<>();
  private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
  private final boolean[] agreed;

  /** Where a partition ended when it was opened, if it was damaged there. */
  private final long[] cut;

  /** The first position that was not compared when the queue was opened. */
  private final long[] uncompared;

  private final AtomicReferenceArray<QueueStats.@Nullable Damage> damage;
  private final Thread committer;
  private volatile @Nullable QueueFailed failure;
  private volatile boolean dirty;
  private volatile boolean accepting = true;
  private volatile boolean closing;
  private volatile boolean closed;

  private record Refusal(String why, Instant since) {}

  DiskQueue(Disk.Stored stored, Level level, QueueFaults faults, Consumer<DiskQueue> onClose) {
    this.stored = stored;
    this.faults = faults;
    this.onClose = onClose;
    capabilities = new Capabilities(level, true, Capabilities.MAX_MESSAGE_BYTES);
    appendTimes = new AppendTimes(stored.partitions.size());
    agreed = new boolean[stored.partitions.size()];
    cut = new long[stored.partitions.size()];
    uncompared = new long[stored.partitions.size()];
    damage = new AtomicReferenceArray<>(stored.partitions.size());
    for (int i = 0; i < cut.length; i++) {
      open(i);
    }
    committer = Machine.thread("committer " + stored.name).start(this::commit);
  }

  private void open(int number) {
    Disk.Partition partition = stored.partitions.get(number);
    if (partition.setAsideNext) {
      partition.setAsideNext = false;
      partition.setAside.putAll(partition.damaged);
      partition.damaged.clear();
      if (partition.lostBefore > 0) {
        partition.moveBehindLost();
      }
    }
    partition.lostBefore = 0;
    Long unreadable = partition.damaged.ceilingKey(partition.mark);
    cut[number] = unreadable == null ? Long.MAX_VALUE : unreadable;
    if (unreadable != null) {
      damaged(number, unreadable);
    } else {
      partition.mark = partition.end;
    }
    partition.forced = partition.end; // what is there is forced before it is read
    uncompared[number] =
        partition.uncompared == Disk.Partition.COMPARED ? end(number) : partition.uncompared;
    if (unreadable == null) {
      partition.uncompared = uncompared[number];
    }
    partition.passed.replaceAll((_, position) -> Math.min(position, end(number)));
  }

  private QueueFailed damaged(int number, long position) {
    QueueStats.Damage known = damage.get(number);
    if (known == null || known.position() != position) {
      known = new QueueStats.Damage(position, "an unreadable frame", Machine.now(), false);
      damage.set(number, known);
    }
    return new QueueFailed(
        "partition %d of queue %s is damaged: at message %,d there is %s"
            .formatted(number, name(), position, known.what()),
        null);
  }

  @Override
  public String name() {
    return stored.name;
  }

  @Override
  public String identity() {
    return stored.identity;
  }

  @Override
  public int partitions() {
    return stored.partitions.size();
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public AppendTimes appendTimes() {
    return appendTimes;
  }

  private boolean acknowledgesAtOnce() {
    return capabilities.strongest() != Level.DISK;
  }

  @Override
  public Appender appender() {
    mustBeOpen();
    DiskAppender appender = new DiskAppender(this);
    appenders.add(appender);
    return appender;
  }

  void forget(DiskAppender appender) {
    appenders.remove(appender);
  }

  /** Appends a message and returns its position. */
  long append(int number, ByteBuffer message) {
    checkPartition(number);
    if (message.remaining() > Capabilities.MAX_MESSAGE_BYTES) {
      throw new QueueRefused(
          QueueRefused.Reason.TOO_LARGE, "a message of %,d bytes".formatted(message.remaining()));
    }
    Disk.Partition partition = stored.partitions.get(number);
    partition.lock.lock();
    long position;
    try {
      mustAccept(number);
      byte[] bytes = new byte[message.remaining()];
      message.duplicate().get(bytes);
      position = partition.end;
      partition.messages.put(position, bytes);
      partition.end = position + 1;
    } finally {
      partition.lock.unlock();
    }
    dirty = true;
    LockSupport.unpark(committer);
    wakeReaders();
    return position;
  }

  private void mustAccept(int number) {
    if (!accepting) {
      throw new QueueRefused(QueueRefused.Reason.CLOSED, "queue " + name() + " is closed");
    }
    QueueFailed failed = failure;
    if (failed != null) {
      throw new QueueRefused(QueueRefused.Reason.FAILED, String.valueOf(failed.getMessage()));
    }
    mustBeUndamaged(number);
    Refusal refusal = refusals.get(number);
    if (refusal != null) {
      throw new QueueRefused(QueueRefused.Reason.FAILED, refusal.why);
    }
    if (stored.partitions.get(number).drained) {
      throw new QueueRefused(
          QueueRefused.Reason.UNAVAILABLE,
          Double.NaN,
          Duration.ofSeconds(1),
          "the partition was drained");
    }
  }

  private void mustBeUndamaged(int number) {
    if (damage.get(number) != null) {
      throw new QueueRefused(QueueRefused.Reason.FAILED, "the partition is damaged");
    }
  }

  @Override
  public void lost(int number, long from, long next) {
    checkPartition(number);
    Disk.Partition partition = stored.partitions.get(number);
    partition.lostFrom = from;
    partition.lostBefore = next;
    damage.set(
        number, new QueueStats.Damage(from, "the end of what was kept", Machine.now(), false));
  }

  @Override
  public List<MissingMessages> setAside(int number) {
    mustBeOpen();
    checkPartition(number);
    QueueStats.Damage known = damage.get(number);
    if (known == null) {
      throw new IllegalStateException("partition %d has no known damage".formatted(number));
    }
    Disk.Partition partition = stored.partitions.get(number);
    partition.setAsideNext = true;
    damage.set(number, new QueueStats.Damage(known.position(), known.what(), known.since(), true));
    return partition.damaged.keySet().stream().map(it -> new MissingMessages(it, it)).toList();
  }

  private void commit() {
    while (true) {
      while (!dirty && !closed) {
        LockSupport.park(this);
      }
      if (closed) {
        return;
      }
      force();
    }
  }

  private void force() {
    dirty = false;
    List<Long> ends = stored.partitions.stream().map(DiskQueue::endOf).toList();
    long until = Machine.nanos() + faults.forceTakesNanos();
    for (long left; (left = until - Machine.nanos()) > 0; ) {
      Machine.park(left);
    }
    if (failure == null && faults.forceFails()) {
      failure = new QueueFailed("queue " + name() + " could not be forced", null);
    }
    if (failure == null) {
      for (int i = 0; i < ends.size(); i++) {
        stored.partitions.get(i).forced = ends.get(i);
      }
    }
    appenders.forEach(DiskAppender::forced);
    wakeReaders();
  }

  private static long endOf(Disk.Partition partition) {
    partition.lock.lock();
    try {
      return partition.end;
    } finally {
      partition.lock.unlock();
    }
  }

  private long end(int number) {
    return Math.min(endOf(stored.partitions.get(number)), cut[number]);
  }

  @Nullable QueueFailed failure() {
    return failure;
  }

  boolean isClosed() {
    return closed;
  }

  /** Whether a message has the queue's strongest level. */
  boolean isAcknowledged(int partition, long position) {
    return acknowledgesAtOnce() || stored.partitions.get(partition).forced > position;
  }

  private void wakeReaders() {
    for (Thread thread; (thread = waiting.poll()) != null; ) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public Tailer tailer(int partition) {
    mustBeOpen();
    checkPartition(partition);
    return new DiskTailer(partition);
  }

  @Override
  public Subscription subscribe(String consumer, PartitionListener listener) {
    LocalSubscription subscription =
        new LocalSubscription(
            this, consumer, listener, this::passed, it -> subscriptions.remove(it.consumer(), it));
    if (closing) {
      throw notOpen();
    }
    if (subscriptions.putIfAbsent(consumer, subscription) != null) {
      throw new IllegalStateException("consumer " + consumer + " is subscribed");
    }
    for (Disk.Partition partition : stored.partitions) {
      partition.passed.putIfAbsent(consumer, 0L);
    }
    subscription.start();
    return subscription;
  }

  private void passed(String consumer, int number, long position) {
    checkPartition(number);
    Disk.Partition partition = stored.partitions.get(number);
    partition.lock.lock();
    try {
      if (position > partition.end) {
        throw new PositionOutOfRange(name(), number, position, 0, partition.end);
      }
      partition.passed.merge(consumer, position, Math::max);
    } finally {
      partition.lock.unlock();
    }
  }

  @Override
  public void skipTo(int number, long position) {
    mustBeOpen();
    checkPartition(number);
    Disk.Partition partition = stored.partitions.get(number);
    mustBeUndamaged(number);
    partition.lock.lock();
    try {
      if (position < partition.end) {
        throw new IllegalArgumentException(
            "cannot skip to %,d (end=%,d)".formatted(position, partition.end));
      }
      partition.end = position;
    } finally {
      partition.lock.unlock();
    }
    dirty = true;
    LockSupport.unpark(committer);
    wakeReaders();
  }

  @Override
  public void stopAccepting() {
    accepting = false;
  }

  @Override
  public void refuse(int partition, String why) {
    checkPartition(partition);
    refusals.putIfAbsent(partition, new Refusal(why, Machine.now()));
  }

  @Override
  public boolean drained(int number) {
    checkPartition(number);
    stored.partitions.get(number).drained = true;
    return true;
  }

  @Override
  public void agreed(int number) {
    checkPartition(number);
    refusals.remove(number);
    agreed[number] = true;
    stored.partitions.get(number).uncompared = Disk.Partition.COMPARED;
    stored.partitions.get(number).drained = false;
  }

  @Override
  public OptionalLong uncompared(int number) {
    checkPartition(number);
    long end = end(number);
    return OptionalLong.of(agreed[number] ? end : Math.min(uncompared[number], end));
  }

  @Override
  public void awaitSafe(int number, long position) {
    checkPartition(number);
    if (acknowledgesAtOnce()) {
      return;
    }
    Disk.Partition partition = stored.partitions.get(number);
    while (partition.forced < position) {
      QueueFailed failed = failure;
      if (failed != null || closed) {
        throw new QueueFailed("position %,d will not be forced".formatted(position), failed);
      }
      waiting.add(Thread.currentThread());
      Machine.park(FORCE_AGAIN_NANOS);
    }
  }

  @Override
  public QueueStats stats(int number) {
    mustBeOpen();
    checkPartition(number);
    Disk.Partition partition = stored.partitions.get(number);
    partition.lock.lock();
    try {
      Refusal refusal = refusals.get(number);
      long end = end(number);
      return new QueueStats(
          OptionalLong.of(0),
          OptionalLong.of(end),
          OptionalLong.of(
              1 + partition.messages.values().stream().mapToLong(it -> it.length).sum()),
          OptionalLong.of(acknowledgesAtOnce() ? end : Math.min(end, partition.forced)),
          Map.copyOf(partition.passed),
          refusal != null
              ? new QueueStats.Refusal(QueueRefused.Reason.FAILED, Double.NaN, refusal.since)
              : partition.drained
                  ? new QueueStats.Refusal(
                      QueueRefused.Reason.UNAVAILABLE, Double.NaN, Machine.now())
                  : null,
          null,
          damage.get(number));
    } finally {
      partition.lock.unlock();
    }
  }

  private void mustBeOpen() {
    if (closed) {
      throw notOpen();
    }
  }

  private IllegalStateException notOpen() {
    return new IllegalStateException("queue " + name() + " is closed; reopen it");
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closing = true;
    accepting = false;
    List.copyOf(subscriptions.values()).forEach(LocalSubscription::close);
    while (failure == null && (dirty || isUnforced())) {
      waiting.add(Thread.currentThread());
      LockSupport.unpark(committer);
      Machine.park(1_000_000);
    }
    closed = true;
    for (int i = 0; i < cut.length; i++) {
      Disk.Partition partition = stored.partitions.get(i);
      if (partition.isForced() && damage.get(i) == null) {
        partition.mark = partition.end;
      }
    }
    LockSupport.unpark(committer);
    wakeReaders();
    appenders.forEach(DiskAppender::forced);
    stored.open = false;
    onClose.accept(this);
  }

  private boolean isUnforced() {
    return stored.partitions.stream().anyMatch(it -> it.forced < endOf(it));
  }

  @Override
  public String toString() {
    return "queue " + name();
  }

  /** Reads from the maps of the disk. */
  private final class DiskTailer implements Tailer {

    private final int number;
    private final Disk.Partition partition;
    private long position;
    private volatile boolean tailerClosed;
    private volatile boolean woken;

    DiskTailer(int number) {
      this.number = number;
      this.partition = stored.partitions.get(number);
    }

    /** The position of the next message at or behind this one, or the end. */
    private long overGap(long from) {
      partition.lock.lock();
      try {
        return Math.min(partition.overGap(from), Math.max(from, cut[number]));
      } finally {
        partition.lock.unlock();
      }
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
      return DiskQueue.this.end(number);
    }

    @Override
    public void seek(long to) {
      mustBeUsable();
      long end = DiskQueue.this.end(number);
      if (to < 0 || to > end) {
        throw new PositionOutOfRange(name(), number, to, 0, end);
      }
      position = overGap(to);
    }

    @Override
    public void toStart() {
      mustBeUsable();
      position = 0;
    }

    @Override
    public void toEnd() {
      mustBeUsable();
      position = DiskQueue.this.end(number);
    }

    @Override
    public int poll(int max, MessageHandler handler) {
      faults.pause();
      int count = 0;
      for (; count < max; count++) {
        mustBeUsable();
        position = overGap(position);
        byte[] message;
        boolean unreadable;
        partition.lock.lock();
        try {
          message = position < cut[number] ? partition.messages.get(position) : null;
          unreadable = partition.damaged.containsKey(position);
        } finally {
          partition.lock.unlock();
        }
        if (unreadable && count == 0) {
          throw damaged(number, position);
        }
        if (message == null) {
          return count;
        }
        handler.handle(position, ByteBuffer.wrap(message).asReadOnlyBuffer());
        position++;
        position = overGap(position);
      }
      return count;
    }

    @Override
    public void await(Duration atMost) {
      waiting.add(Thread.currentThread());
      if (DiskQueue.this.end(number) <= position && !woken && !closed) {
        Machine.park(Math.max(atMost.toNanos(), LEAST_WAIT_NANOS));
      }
      woken = false;
      waiting.remove(Thread.currentThread());
    }

    @Override
    public void wake() {
      woken = true;
      wakeReaders();
    }

    @Override
    public void close() {
      tailerClosed = true;
    }
  }
}
