/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueFailed;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Appends rows to the queue of a service. The service is left out when the queue refuses a row, and
 * while rows are pending for too long: no later row is appended, which keeps their order. For one
 * thread.
 */
final class ServiceWriter implements AutoCloseable {

  private final HostedService<?, ?> service;
  private @Nullable Writer<?> writer;

  /** Rows that were appended, and neither accepted nor failed, by their tickets. */
  private final Map<Long, OutboxRow> pending = new TreeMap<>();

  /** Why the service is left out; null if it is not. */
  private @Nullable RuntimeException refusal;

  private boolean late;

  ServiceWriter(HostedService<?, ?> service) {
    this.service = service;
  }

  HostedService<?, ?> service() {
    return service;
  }

  @Nullable RuntimeException refusal() {
    return refusal;
  }

  /** Leaves the service out no longer, unless rows are pending. */
  void retry() {
    if (pending.isEmpty()) {
      if (refusal instanceof QueueFailed) {
        close(); // a writer of a local queue has failed for ever
      }
      refusal = null;
      late = false;
    }
  }

  void forget() {
    pending.clear();
    retry();
  }

  /** Has no effect if the service is left out. */
  void append(OutboxRow row) {
    if (refusal != null) {
      return;
    }
    try {
      if (writer == null) {
        writer = service.createWriter();
      }
      writer.forward(row.partition() % service.in().partitions(), row.message());
      pending.put(writer.lastTicket(), row);
    } catch (QueueFailed e) {
      failed(row, e);
    } catch (RuntimeException e) {
      refusal = new Unavailable("service %s does not take %s: %s".formatted(name(), row, e), e);
    }
  }

  /**
   * Waits for the pending rows; if an earlier call has waited in vain, it only looks.
   *
   * @param until when the wait ends, of {@link Machine#nanos}
   * @param accepted gets the rows that the queue has accepted
   */
  void await(long until, List<OutboxRow> accepted) throws InterruptedException {
    for (Iterator<Map.Entry<Long, OutboxRow>> each = pending.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<Long, OutboxRow> next = each.next();
      try {
        await(next.getKey(), late ? 0 : until - Machine.nanos());
        accepted.add(next.getValue());
        each.remove();
      } catch (QueueFailed e) {
        failed(next.getValue(), e);
        each.remove();
      } catch (TimeoutException e) {
        late(next.getValue(), e);
      }
    }
  }

  private void await(long ticket, long nanos) throws TimeoutException, InterruptedException {
    Objects.requireNonNull(writer).await(ticket, Duration.ofNanos(Math.max(0, nanos)));
  }

  /** The queue may contain the row; it is appended again. */
  private void failed(OutboxRow row, QueueFailed why) {
    if (!(refusal instanceof QueueFailed)) {
      refusal =
          new QueueFailed(
              "service %s did not take %s: %s".formatted(name(), row, why.getMessage()), why);
    }
  }

  private void late(OutboxRow row, TimeoutException why) {
    late = true;
    if (refusal == null) {
      refusal =
          new Unavailable(
              "service %s has not accepted %s yet: %s".formatted(name(), row, why.getMessage()),
              why);
    }
  }

  private String name() {
    return service.name();
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
