/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.background.Outage;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueFailed;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends rows to the queue of a service. The service is left out when the queue refuses a row, and
 * while rows are pending for too long: no later row is appended, which keeps their order. For one
 * thread.
 */
final class Destination implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Destination.class);

  /** A row that was appended, without its message. */
  private record Appended(long ticket, long row, int partition) {}

  private final HostedService<?, ?> service;
  private final Outage outage;
  private @Nullable Writer<?> writer;

  /** Rows that are neither accepted nor failed, in the order of their tickets. */
  private final Deque<Appended> pending = new ArrayDeque<>();

  /** Why the queue did not take a row; null if it did. */
  private @Nullable RuntimeException refusal;

  private boolean late;

  Destination(HostedService<?, ?> service) {
    this.service = service;
    this.outage =
        new Outage(
            log,
            "The outbox of service " + service.name(),
            "its messages stay in table forebay_outbox until it works");
  }

  HostedService<?, ?> service() {
    return service;
  }

  boolean isLeftOut() {
    return refusal != null || late;
  }

  /** Appends again after a refusal, unless rows are pending. */
  void retry() {
    if (pending.isEmpty()) {
      if (refusal instanceof QueueFailed) {
        close(); // a writer of a local queue has failed for ever
      }
      refusal = null;
    }
  }

  void forget() {
    pending.clear();
    late = false;
    retry();
  }

  /** Has no effect if the service is left out. */
  void append(OutboxRow row) {
    if (isLeftOut()) {
      return;
    }
    int partition = row.partition() % service.in().partitions();
    try {
      if (writer == null) {
        writer = service.createWriter();
      }
      writer.forward(partition, row.message());
      pending.add(new Appended(writer.lastTicket(), row.id(), partition));
    } catch (QueueFailed e) {
      refused(new QueueFailed(notAccepted(row.id(), e), e));
    } catch (RuntimeException e) {
      refused(new Unavailable(notAccepted(row.id(), e), e));
    }
  }

  /**
   * Waits for the pending rows; if an earlier call has waited in vain, it only looks.
   *
   * @param until when the wait ends, of {@link Machine#nanos}
   * @param accepted gets the ids of the rows that the queue has accepted
   */
  void await(long until, List<Long> accepted) throws InterruptedException {
    Set<Integer> latePartitions = new HashSet<>(); // a queue accepts in the order of each partition
    for (Iterator<Appended> each = pending.iterator(); each.hasNext(); ) {
      Appended next = each.next();
      if (latePartitions.contains(next.partition())) {
        continue;
      }
      try {
        await(next.ticket(), late ? 0 : until - Machine.nanos());
        accepted.add(next.row());
        each.remove();
      } catch (QueueFailed e) {
        refused(new QueueFailed(notAccepted(next.row(), e), e)); // the queue may contain the row
        each.remove();
      } catch (TimeoutException e) {
        latePartitions.add(next.partition());
        outage.failed(new TimeoutException(notAccepted(next.row(), e)));
      }
    }
    late = !pending.isEmpty();
    if (!isLeftOut()) {
      outage.over();
    }
  }

  private void await(long ticket, long nanos) throws TimeoutException, InterruptedException {
    Objects.requireNonNull(writer).await(ticket, Duration.ofNanos(Math.max(0, nanos)));
  }

  private void refused(RuntimeException why) {
    refusal = why;
    outage.failed(why);
  }

  private static String notAccepted(long row, Exception why) {
    return "%s is not accepted: %s".formatted(OutboxRow.name(row), why.getMessage());
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
