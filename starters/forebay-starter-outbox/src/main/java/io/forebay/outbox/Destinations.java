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

/** All services that messages can be sent to. For one thread. */
final class Destinations implements AutoCloseable {

  /** How long it waits for the queues; then the services of those that are late are left out. */
  private static final Duration ACCEPTED = Duration.ofSeconds(2);

  private final Map<String, Destination> destinations = new HashMap<>();

  /**
   * @param services by their names
   */
  Destinations(Map<String, HostedService<?, ?>> services) {
    services.forEach((name, service) -> destinations.put(name, new Destination(service)));
  }

  /** The services that are not left out. */
  String[] taking() {
    return destinations.entrySet().stream()
        .filter(it -> !it.getValue().isLeftOut())
        .map(Map.Entry::getKey)
        .toArray(String[]::new);
  }

  boolean takeAll() {
    return destinations.values().stream().noneMatch(Destination::isLeftOut);
  }

  /** Why no other process may hand over: what one queue accepts, the other one does not know. */
  Optional<String> unshared() {
    return destinations.values().stream()
        .map(Destination::service)
        .filter(service -> !service.in().shared())
        .findFirst()
        .map(service ->
            "Another process hands over the messages of table forebay_outbox, and the queue of service %s is not shared with it; stop that process, or use Kafka"
                .formatted(service.name()));
  }

  /** Forgets the pending rows: they are read and appended again. */
  void forget() {
    destinations.values().forEach(Destination::forget);
  }

  /** Leaves out no service, except those with pending rows. */
  void retry() {
    destinations.values().forEach(Destination::retry);
  }

  /**
   * Appends rows, and waits for the queues.
   *
   * @return the ids of the rows that were accepted; some of them may be of an earlier call
   */
  List<Long> append(List<OutboxRow> rows) throws InterruptedException {
    for (OutboxRow row : rows) {
      Objects.requireNonNull(destinations.get(row.service())).append(row);
    }
    long until = Machine.nanos() + ACCEPTED.toNanos();
    List<Long> accepted = new ArrayList<>();
    for (Destination destination : destinations.values()) {
      destination.await(until, accepted);
    }
    return accepted;
  }

  @Override
  public void close() {
    destinations.values().forEach(Destination::close);
  }
}
