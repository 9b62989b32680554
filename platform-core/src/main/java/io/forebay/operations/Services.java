/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.service.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All services of the process, by name. A pause is kept before it takes effect, and so holds after
 * a restart and in other instances, if there is where to keep it. Thread-safe.
 */
public final class Services {

  private static final Logger log = LoggerFactory.getLogger(Services.class);

  private final Map<String, ServiceOperations> owners = new TreeMap<>();
  private final Map<String, LatencyFeed> latencies = new TreeMap<>();
  private final Map<String, DesiredState> desired = new ConcurrentHashMap<>();
  private final @Nullable DesiredStates kept;
  private boolean holding;

  /**
   * @param kept where pauses are kept, or null: they end with the process
   * @throws IllegalArgumentException if two services have the same name
   */
  public Services(Collection<? extends ServiceOperations> services, @Nullable DesiredStates kept) {
    this.kept = kept;
    for (ServiceOperations service : services) {
      if (owners.putIfAbsent(service.name(), service) != null) {
        throw new IllegalArgumentException(
            "two services are called %s; each needs a name of its own".formatted(service.name()));
      }
      latencies.put(service.name(), new LatencyFeed(service.latency()));
    }
  }

  /** In the order of their names. */
  public List<ServiceOperations> all() {
    return List.copyOf(owners.values());
  }

  public Optional<ServiceOperations> find(String service) {
    return Optional.ofNullable(owners.get(service));
  }

  /**
   * How long the messages of a service took; nobody else takes snapshots of {@link
   * ServiceOperations#latency()}.
   *
   * @throws IllegalArgumentException if there is no such service
   */
  public LatencyFeed latencies(String service) {
    return Objects.requireNonNull(latencies.get(owner(service).name()));
  }

  /** What an operator wants of a service, as last read or kept here; empty if nothing ever was. */
  public Optional<DesiredState> desired(String service) {
    return Optional.ofNullable(desired.get(service));
  }

  /**
   * Has a service rest until someone resumes it, here at once and in other instances soon.
   *
   * @throws IllegalArgumentException if there is no such service
   * @throws Unavailable if it cannot be kept; the service is not paused then
   */
  public void pause(String service, String reason, String by) {
    want(new DesiredState(service, true, reason, by, now()));
  }

  /** As {@link #pause}. */
  public void resume(String service, String reason, String by) {
    want(new DesiredState(service, false, reason, by, now()));
  }

  /**
   * Begins to drain a service and returns at once; {@link ServiceOperations#view()} tells when it
   * is done. A pause ends.
   *
   * @throws IllegalArgumentException if there is no such service
   * @throws IllegalStateException if it works on no partition here
   */
  public void drain(String service, String reason, String by) throws InterruptedException {
    ServiceOperations owner = owner(service);
    if (desired(service).map(DesiredState::paused).orElse(false)) {
      resume(service, reason, by);
    }
    log.info("service {} is to drain, says {}", service, by);
    owner.drain(Duration.ZERO);
  }

  /** Nothing is performed, though accepted, until {@link #follow} knows what operators want. */
  public synchronized void hold(String reason) {
    holding = true;
    owners.values().forEach(owner -> owner.hold(reason));
  }

  /**
   * Reads what operators want and brings it about here. To be called again and again by one thread.
   *
   * @throws Unavailable if that cannot be read now; services stay as they are
   */
  public synchronized void follow() {
    if (kept == null) {
      return;
    }
    Set<String> spoken = new HashSet<>();
    for (DesiredState read : kept.all()) {
      ServiceOperations owner = owners.get(read.service());
      if (owner != null) {
        spoken.add(read.service());
        if (!read.equals(desired.get(read.service()))) {
          apply(owner, read);
        }
      }
    }
    if (holding) {
      owners.values().stream()
          .filter(it -> !spoken.contains(it.name()))
          .forEach(ServiceOperations::release);
      holding = false;
    }
  }

  private synchronized void want(DesiredState state) {
    ServiceOperations owner = owner(state.service());
    if (kept != null) {
      kept.keep(state);
    }
    apply(owner, state);
  }

  private void apply(ServiceOperations owner, DesiredState state) {
    desired.put(state.service(), state);
    if (state.paused()) {
      owner.pause(
          state.reason().isEmpty() ? "by " + state.by() : state.reason() + ", by " + state.by());
    } else {
      owner.resume();
    }
    log.info(
        "service {} is to {}, says {}",
        state.service(),
        state.paused() ? "rest" : "run",
        state.by());
  }

  /** As exactly as a database keeps it. */
  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MICROS);
  }

  private ServiceOperations owner(String service) {
    ServiceOperations owner = owners.get(service);
    if (owner == null) {
      throw new IllegalArgumentException(
          "there is no service %s; there are %s".formatted(service, owners.keySet()));
    }
    return owner;
  }
}
