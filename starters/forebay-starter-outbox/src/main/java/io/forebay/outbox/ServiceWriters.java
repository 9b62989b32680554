/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.queue.QueueFailed;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Appends rows to the queues of their services. A service whose queue does not take a message is
 * left out until {@link #retry}, and so are its later messages, which keeps their order. For one
 * thread.
 */
final class ServiceWriters implements AutoCloseable {

  /** How long it waits for the queues until it looks whether it was closed. */
  private static final Duration ACCEPTED = Duration.ofMillis(500);

  private final Map<String, HostedService<?, ?>> services;
  private final BooleanSupplier open;
  private final Map<String, Writer<?>> writers = new HashMap<>();

  /** Why services are left out. */
  private final Map<String, RuntimeException> refusals = new HashMap<>();

  /**
   * @param services by their names
   * @param open false ends a wait for the queues
   */
  ServiceWriters(Map<String, HostedService<?, ?>> services, BooleanSupplier open) {
    this.services = services;
    this.open = open;
  }

  /** The services that are not left out. */
  String[] taking() {
    return services.keySet().stream()
        .filter(it -> !refusals.containsKey(it))
        .toArray(String[]::new);
  }

  boolean takesAll() {
    return refusals.isEmpty();
  }

  /**
   * @throws RuntimeException the reason why a service is left out
   */
  void mustTakeAll() {
    if (!takesAll()) {
      throw refusals.values().iterator().next();
    }
  }

  /** Why no other process may hand over: what one queue accepts, the other one does not know. */
  Optional<String> unshared() {
    return services.values().stream()
        .filter(service -> !service.in().shared())
        .findFirst()
        .map(service ->
            "Another process hands over the messages of table forebay_outbox, and the queue of service %s is not shared with it; stop that process, or use Kafka"
                .formatted(service.name()));
  }

  /** Leaves no service out. */
  void retry() {
    refusals.clear();
  }

  /**
   * Appends rows, and waits for the queues.
   *
   * @return the rows that were accepted
   * @throws Unavailable if it was closed before; any row may have been appended
   */
  List<OutboxRow> append(List<OutboxRow> rows) throws InterruptedException {
    Map<String, List<OutboxRow>> appended = new HashMap<>();
    for (OutboxRow row : rows) {
      if (!refusals.containsKey(row.service())) {
        append(row, appended);
      }
    }
    return awaitAccepted(appended);
  }

  private void append(OutboxRow row, Map<String, List<OutboxRow>> appended) {
    String name = row.service();
    try {
      HostedService<?, ?> service = Objects.requireNonNull(services.get(name));
      writers
          .computeIfAbsent(name, _ -> service.createWriter())
          .forward(row.partition() % service.in().partitions(), row.message());
      appended.computeIfAbsent(name, _ -> new ArrayList<>()).add(row);
    } catch (QueueFailed e) {
      appended.remove(name);
      failed(name, e);
    } catch (RuntimeException e) {
      refusals.put(
          name,
          new Unavailable(
              "service %s does not take row %d of table forebay_outbox: %s"
                  .formatted(name, row.id(), e),
              e));
    }
  }

  /** Which of its messages are in the queue is unknown: all are appended again. */
  private void failed(String service, QueueFailed failure) {
    Writer<?> writer = writers.remove(service);
    if (writer != null) {
      writer.close();
    }
    refusals.put(service, failure);
  }

  private List<OutboxRow> awaitAccepted(Map<String, List<OutboxRow>> appended)
      throws InterruptedException {
    List<OutboxRow> accepted = new ArrayList<>();
    for (Map.Entry<String, List<OutboxRow>> each : appended.entrySet()) {
      try {
        awaitAccepted(Objects.requireNonNull(writers.get(each.getKey())));
        accepted.addAll(each.getValue());
      } catch (QueueFailed e) {
        failed(each.getKey(), e);
      }
    }
    return accepted;
  }

  private void awaitAccepted(Writer<?> writer) throws InterruptedException {
    while (true) {
      try {
        writer.await(ACCEPTED);
        return;
      } catch (TimeoutException e) {
        if (!open.getAsBoolean()) {
          throw new Unavailable("closed before the queue accepted the messages", e);
        }
      }
    }
  }

  @Override
  public void close() {
    writers.values().forEach(Writer::close);
    writers.clear();
  }
}
