/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.hosting.HostedService;
import io.forebay.machine.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The writers of all services. For one thread. */
final class ServiceWriters implements AutoCloseable {

  /** How long it waits for the queues; then the services of those that are late are left out. */
  private static final Duration ACCEPTED = Duration.ofSeconds(2);

  private final Map<String, ServiceWriter> writers = new HashMap<>();

  /**
   * @param services by their names
   */
  ServiceWriters(Map<String, HostedService<?, ?>> services) {
    services.forEach((name, service) -> writers.put(name, new ServiceWriter(service)));
  }

  /** The services that are not left out. */
  String[] taking() {
    return writers.entrySet().stream()
        .filter(it -> it.getValue().refusal() == null)
        .map(Map.Entry::getKey)
        .toArray(String[]::new);
  }

  boolean takesAll() {
    return refusal() == null;
  }

  /**
   * @throws RuntimeException the reason why a service is left out
   */
  void mustTakeAll() {
    RuntimeException refusal = refusal();
    if (refusal != null) {
      throw refusal;
    }
  }

  private @Nullable RuntimeException refusal() {
    return writers.values().stream()
        .map(ServiceWriter::refusal)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Why no other process may hand over: what one queue accepts, the other one does not know. */
  Optional<String> unshared() {
    return writers.values().stream()
        .map(ServiceWriter::service)
        .filter(service -> !service.in().shared())
        .findFirst()
        .map(service ->
            "Another process hands over the messages of table forebay_outbox, and the queue of service %s is not shared with it; stop that process, or use Kafka"
                .formatted(service.name()));
  }

  /** Forgets the pending rows: they are read and appended again. */
  void forget() {
    writers.values().forEach(ServiceWriter::forget);
  }

  /** Leaves out no service, except those with pending rows. */
  void retry() {
    writers.values().forEach(ServiceWriter::retry);
  }

  /**
   * Appends rows, and waits for the queues.
   *
   * @return the rows that were accepted; some of them may be of an earlier call
   */
  List<OutboxRow> append(List<OutboxRow> rows) throws InterruptedException {
    for (OutboxRow row : rows) {
      Objects.requireNonNull(writers.get(row.service())).append(row);
    }
    long until = Machine.nanos() + ACCEPTED.toNanos();
    List<OutboxRow> accepted = new ArrayList<>();
    for (ServiceWriter writer : writers.values()) {
      writer.await(until, accepted);
    }
    return accepted;
  }

  @Override
  public void close() {
    writers.values().forEach(ServiceWriter::close);
  }
}
