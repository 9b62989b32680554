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
import io.forebay.trace.TraceParent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;
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
      writer.onAcknowledged(this::acknowledged);
    }
  }

  /**
   * Begins or resumes a stream.
   *
   * @param client the sender
   * @param name of the stream, among those of the sender
   * @param trace of the lines if no sampled span is current on the thread that sends them, or null
   */
  public Lines lines(String client, String name, @Nullable TraceParent trace) {
    return new Lines(client, name, trace);
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
    private final @Nullable TraceParent trace;
    private final long[] last = new long[service.in().partitions()];

    private Lines(String client, String name, @Nullable TraceParent trace) {
      this.client = client;
      this.name = name;
      this.trace = trace;
      Arrays.fill(last, StreamLine.ANY);
    }

    /** Appends lines until the queue refuses one; {@link Group#refused} then has the reason. */
    public Group append(List<Line> lines) {
      synchronized (lock) {
        if (closed) {
          throw new IllegalStateException("the writer of " + service.in().name() + " is closed");
        }
        Group group = new Group(lines.size());
        waiting.put(group.firstTicket, group);
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
        if (group.size() == 0) {
          waiting.remove(group.firstTicket);
        }
        return group;
      }
    }

    private void append(Line line) {
      String partitionKey = line.partitionKey == null ? name : line.partitionKey;
      int partition = Partitioner.partition(partitionKey, last.length);
      String key = new StreamLine(name, line.number, last[partition]).key();
      writer.keyed(client, key).partitionedBy(partitionKey).traced(trace);
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

  private void acknowledged(int partition, long ticket, long position) {
    Map.Entry<Long, Group> group = waiting.floorEntry(ticket);
    if (group != null) {
      group.getValue().place(ticket, position);
    }
  }

  /** Lines that were appended together. */
  public final class Group {

    private final long firstTicket;
    private final int[] partitions;
    private final long[] positions;
    private final List<UUID> ids;
    private @Nullable QueueRefused refused;

    private Group(int most) {
      firstTicket = writer.lastTicket() + 1;
      partitions = new int[most];
      positions = new long[most];
      ids = new ArrayList<>(most);
    }

    private void appended() {
      partitions[size()] = writer.lastPartition();
      if (writer.lastPosition() != Appender.UNKNOWN_POSITION) {
        positions[size()] = writer.lastPosition();
      }
      ids.add(writer.lastId());
    }

    /** Called by a thread of a shared queue before {@link #awaitAccepted} returns. */
    private void place(long ticket, long position) {
      if (ticket - firstTicket < positions.length) {
        positions[(int) (ticket - firstTicket)] = position;
      }
    }

    /** How many lines were appended, the first ones. */
    public int size() {
      return ids.size();
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
      for (int i = 0; i < size(); i++) {
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
      long deadline = Machine.nanos() + timeout.toNanos();
      try {
        for (int line = size() - 1; line >= 0; line--) {
          writer.await(firstTicket + line, Duration.ofNanos(deadline - Machine.nanos()));
        }
      } finally {
        waiting.remove(firstTicket);
      }
    }
  }
}
