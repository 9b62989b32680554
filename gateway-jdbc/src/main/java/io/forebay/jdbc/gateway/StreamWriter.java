/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Writer;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.machine.Machine;
import io.forebay.queue.Appender;
import io.forebay.queue.Partitioner;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Appends the statements of streams in groups, without a future for each. All streams of a gateway
 * share one; thread-safe.
 */
public final class StreamWriter implements AutoCloseable {

  private final JDBCService service;
  private final Object lock = new Object();
  private final Writer<JDBCStatement> writer;

  /** The groups whose positions a shared queue has not reported yet, by their first tickets. */
  private final ConcurrentSkipListMap<Long, Group> waiting = new ConcurrentSkipListMap<>();

  private boolean closed;

  StreamWriter(JDBCService service) {
    this.service = service;
    writer = service.createWriter();
    if (!service.in().capabilities().contiguous()) {
      writer.onAcknowledged(new Acknowledged());
    }
  }

  /**
   * Begins or resumes a stream.
   *
   * @param client the sender
   * @param name of the stream, among those of the sender
   */
  public Lines lines(String client, String name) {
    return new Lines(client, name);
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      writer.close();
    }
  }

  /**
   * A statement of a stream.
   *
   * @param partitionKey null to choose the partition by the name of the stream
   * @param resultType of the rows of a query; null for an update
   * @param deliverBy the time after which it must not be performed any more, or null
   */
  public record Line(
      long number,
      @Nullable String partitionKey,
      Call call,
      @Nullable Class<?> resultType,
      @Nullable Instant deliverBy) {}

  /** The lines that one sender sends, in the order of their numbers. For one thread. */
  public final class Lines {

    private final String client;
    private final String name;
    private final long[] last = new long[service.in().partitions()];

    private Lines(String client, String name) {
      this.client = client;
      this.name = name;
      Arrays.fill(last, StreamLine.ANY);
    }

    /** Appends lines until the queue refuses one; {@link Group#refused} then has the reason. */
    public Group append(List<Line> lines) {
      synchronized (lock) {
        if (closed) {
          throw new IllegalStateException("the writer of " + service.in().name() + " is closed");
        }
        boolean isReported = !service.in().capabilities().contiguous();
        Group group = new Group(lines.size(), isReported);
        if (isReported) {
          waiting.put(group.firstTicket, group);
        }
        try {
          for (Line line : lines) {
            append(line);
            group.appended();
          }
        } catch (QueueRefused e) {
          group.refused = e;
        } catch (RuntimeException e) {
          waiting.remove(group.firstTicket);
          throw e;
        }
        group.complete();
        if (group.size == 0) {
          waiting.remove(group.firstTicket);
        }
        return group;
      }
    }

    private void append(Line line) {
      String partitionKey = line.partitionKey == null ? name : line.partitionKey;
      int partition = Partitioner.partition(partitionKey, last.length);
      String key = new StreamLine(name, line.number, last[partition]).key();
      writer.keyed(client, key).partitionedBy(partitionKey);
      if (line.deliverBy != null) {
        writer.deliverBy(line.deliverBy);
      }
      @Nullable Object[] args = line.call.args().toArray();
      if (line.resultType == null) {
        writer.calls().executeUpdate(line.call.sql(), args);
      } else {
        writer.calls().executeQuery(line.call.sql(), line.resultType, args);
      }
      last[partition] = line.number;
    }
  }

  /** Tells the groups. */
  private final class Acknowledged implements Appender.AcknowledgementListener {

    @Override
    public void acknowledged(int partition, long ticket, long position) {
      Map.Entry<Long, Group> group = waiting.floorEntry(ticket);
      if (group != null && group.getValue().mayContain(ticket)) {
        group.getValue().acknowledged(ticket, position);
      }
    }

    @Override
    public void failed(long first, long last, QueueFailed cause) {
      waiting.values().stream()
          .filter(group -> group.mayContain(first) && group.firstTicket <= last)
          .forEach(group -> group.failed(cause));
    }
  }

  /** Lines that were appended together. */
  public final class Group {

    private final long firstTicket;
    private final int[] partitions;
    private final long[] positions;
    private final List<UUID> ids;
    private final boolean isReported;
    private final CountDownLatch acknowledged = new CountDownLatch(1);
    private @Nullable QueueRefused refused;
    private final AtomicInteger acknowledgedLines = new AtomicInteger();
    private volatile int size;
    private volatile boolean complete;
    private volatile @Nullable QueueFailed failure;

    /**
     * @param isReported whether the queue reports the positions later, each by itself
     */
    private Group(int most, boolean isReported) {
      this.isReported = isReported;
      firstTicket = writer.lastTicket() + 1;
      partitions = new int[most];
      positions = new long[most];
      ids = new ArrayList<>(most);
    }

    private void appended() {
      partitions[size] = writer.lastPartition();
      if (writer.lastPosition() != Appender.UNKNOWN_POSITION) {
        positions[size] = writer.lastPosition();
      }
      ids.add(writer.lastId());
      size++;
    }

    private void complete() {
      complete = true;
      releaseIfAcknowledged();
    }

    private boolean mayContain(long ticket) {
      return ticket < firstTicket + (complete ? size : positions.length);
    }

    private void acknowledged(long ticket, long position) {
      positions[(int) (ticket - firstTicket)] = position;
      acknowledgedLines.incrementAndGet();
      releaseIfAcknowledged();
    }

    private void failed(QueueFailed cause) {
      failure = cause;
      acknowledged.countDown();
    }

    private void releaseIfAcknowledged() {
      if (complete && acknowledgedLines.get() == size) {
        acknowledged.countDown();
      }
    }

    /** How many lines were appended, the first ones. */
    public int size() {
      return size;
    }

    /** Why the line after them was refused; null if all were appended. */
    public @Nullable QueueRefused refused() {
      return refused;
    }

    /** The lines of a partition, which are in order but not necessarily side by side. */
    public record Range(int partition, long first, long last) {}

    /** Where the lines are; on a shared queue only after {@link #awaitAccepted}. */
    public List<Range> ranges() {
      Map<Integer, Range> ranges = new TreeMap<>();
      for (int i = 0; i < size; i++) {
        long position = positions[i];
        ranges.merge(
            partitions[i],
            new Range(partitions[i], position, position),
            (before, here) -> new Range(before.partition, before.first, here.last));
      }
      return List.copyOf(ranges.values());
    }

    /** Where a line is; on a shared queue only after {@link #awaitAccepted}. */
    public Receipt receipt(int line) {
      return new Receipt(partitions[line], positions[line], ids.get(line));
    }

    /**
     * Waits until all lines, at least one, are accepted: they have reached the queue's strongest
     * level.
     *
     * @throws TimeoutException if they are not within that time; they may be accepted later
     * @throws QueueFailed if some will not be acknowledged; whether they are durable is unknown
     */
    public void awaitAccepted(Duration timeout) throws TimeoutException, InterruptedException {
      try {
        if (!isReported) {
          writer.await(firstTicket + size - 1, timeout);
          return;
        }
        if (!Machine.await(acknowledged, timeout)) {
          throw new TimeoutException();
        }
        QueueFailed failed = failure;
        if (failed != null) {
          throw failed;
        }
      } finally {
        waiting.remove(firstTicket);
      }
    }
  }
}
