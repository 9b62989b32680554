/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.machine.Machine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All services of the process, by name. A pause is stored before it takes effect, so it survives a
 * restart and reaches other instances, if there is a store. Thread-safe.
 */
public final class Services {

  private static final Logger log = LoggerFactory.getLogger(Services.class);

  private final Map<String, ServiceOperations> owners = new TreeMap<>();
  private final Map<String, ServiceReadings> readings = new TreeMap<>();
  private final Map<String, DesiredState> desired = new ConcurrentHashMap<>();
  private final @Nullable DesiredStates kept;
  private final InstantSource clock;
  private boolean holding;

  /**
   * @param kept stores pauses; null if they end with the process
   * @throws IllegalArgumentException if two services have the same name
   */
  public Services(Collection<? extends ServiceOperations> services, @Nullable DesiredStates kept) {
    this(services, kept, Machine.wall());
  }

  /**
   * @param kept stores pauses; null if they end with the process
   * @param clock the time by which pauses end
   * @throws IllegalArgumentException if two services have the same name
   */
  public Services(
      Collection<? extends ServiceOperations> services,
      @Nullable DesiredStates kept,
      InstantSource clock) {
    this.kept = kept;
    this.clock = clock;
    for (ServiceOperations service : services) {
      if (owners.putIfAbsent(service.name(), service) != null) {
        throw new IllegalArgumentException(
            "two services have the name %s; names must be unique".formatted(service.name()));
      }
      readings.put(service.name(), new ServiceReadings(service));
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
   * The readings of a service. Nothing else may take samples of it or snapshots of its latencies.
   *
   * @throws IllegalArgumentException if there is no such service
   */
  public ServiceReadings readings(String service) {
    return Objects.requireNonNull(readings.get(owner(service).name()));
  }

  /**
   * The desired state of a service, as last read or stored by this process; empty if there is none.
   */
  public Optional<DesiredState> desired(String service) {
    return Optional.ofNullable(desired.get(service));
  }

  /**
   * The pause that would prevent this one, as far as this process knows; empty if none does. See
   * {@link #pause}.
   */
  public Optional<DesiredState> preventing(DesiredState wanted, @Nullable Instant replaces) {
    return desired(wanted.service())
        .filter(before -> before.paused() && !before.isPausedSince(replaces))
        .filter(before -> !before.isRepeatedBy(wanted));
  }

  /**
   * Pauses a service until it is resumed, or until the given time: at once in this process, soon in
   * other instances. {@link #endPauses} ends it at its time. If an operator has paused it already,
   * nothing changes, so that no pause and its reason is lost unseen. The same pause again, by the
   * same operator for the same reason with the same end, also changes nothing, and succeeds.
   *
   * @param until when the pause ends; null for a pause without an end
   * @param replaces when the pause began that this one may replace, to the millisecond; null to
   *     replace none
   * @return the pause that the service has; empty if it is now paused as requested
   * @throws IllegalArgumentException if there is no such service
   * @throws UnsupportedOperationException if the pause has an end and pauses are not stored; nobody
   *     would end it
   * @throws io.forebay.service.progress.Unavailable if the pause cannot be stored; the service is
   *     not paused
   */
  public synchronized Optional<DesiredState> pause(
      String service,
      String reason,
      String by,
      @Nullable Instant until,
      @Nullable Instant replaces) {
    ServiceOperations owner = owner(service);
    if (until != null && kept == null) {
      throw new UnsupportedOperationException(
          "a pause with an end needs the system database, and this process has none");
    }
    Instant end = until == null ? null : until.truncatedTo(ChronoUnit.MICROS);
    DesiredState wanted = new DesiredState(service, true, reason, by, now(), end, null);
    DesiredState state = kept == null ? pauseHere(wanted, replaces) : kept.pause(wanted, replaces);
    if (!state.equals(desired.get(service))) {
      apply(owner, state);
      log(state);
    }
    return Optional.of(state).filter(it -> !it.isRepeatedBy(wanted));
  }

  /** Whether a pause may have an end: pauses are stored. */
  public boolean endPauses() {
    return kept != null;
  }

  private DesiredState pauseHere(DesiredState wanted, @Nullable Instant replaces) {
    DesiredState before = desired.get(wanted.service());
    return before == null
        ? wanted
        : before.paused() && !before.isPausedSince(replaces) ? before : wanted.replacing(before);
  }

  /**
   * Ends a pause: at once in this process, soon in other instances.
   *
   * @throws IllegalArgumentException if there is no such service
   * @throws io.forebay.service.progress.Unavailable if this cannot be stored; nothing changes
   */
  public void resume(String service, String reason, String by) {
    want(new DesiredState(service, false, reason, by, now()));
  }

  /**
   * Starts to drain a service and returns at once; {@link ServiceOperations#view()} shows when it
   * is drained. Ends a pause.
   *
   * @throws IllegalArgumentException if there is no such service
   * @throws IllegalStateException if this instance works on no partition
   */
  public void drain(String service, String reason, String by) throws InterruptedException {
    ServiceOperations owner = owner(service);
    if (desired(service).map(DesiredState::paused).orElse(false)) {
      resume(service, reason, by);
    }
    log.info("Service {}: drain requested by {}", service, by);
    owner.drain(Duration.ZERO);
  }

  /**
   * Holds all services until {@link #follow} has read the desired states; messages are still
   * accepted.
   */
  public synchronized void hold(String reason) {
    holding = true;
    owners.values().forEach(owner -> owner.hold(reason));
  }

  /**
   * Reads the desired states and applies them here. One thread calls this periodically.
   *
   * @throws io.forebay.service.progress.Unavailable if they cannot be read now; services stay as
   *     they are
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
          if (!holding || read.paused()) { // a service that runs as usual is not worth a line
            log(read);
          }
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

  /**
   * Resumes the services whose pause has reached its end. One thread calls this periodically, after
   * {@link #follow}. The clock of the wall decides: if it is set forward past the end, the pause
   * ends at once; if it is set back, the pause lasts longer. Of several instances one ends a pause,
   * and the others follow; after a restart, a pause whose end has passed ends at once.
   *
   * @param audit records each resume before it takes effect; asked only if a pause ends
   * @throws io.forebay.service.progress.Unavailable if it cannot be recorded or stored now; the
   *     pause may continue, and the next call tries again
   */
  public synchronized void endPauses(Supplier<Audit> audit) {
    Instant now = now();
    for (DesiredState pause : List.copyOf(desired.values())) {
      if (kept != null && pause.hasEndedAt(now)) {
        end(kept, pause, now, audit.get());
      }
    }
  }

  private void end(DesiredStates store, DesiredState pause, Instant now, Audit audit) {
    String reason = "the pause by %s ended as requested".formatted(pause.by());
    DesiredState running =
        new DesiredState(pause.service(), false, reason, Actor.SYSTEM.name(), now);
    Audit.Entry command =
        Audit.Entry.allowed(Actor.SYSTEM, "service.resume", pause.service(), reason)
            .withOutcome(Audit.ALLOWED + ", resumed automatically")
            .changing(
                Audit.Change.between(DesiredState.fields(pause), DesiredState.fields(running)));
    audit.record(command);
    if (store.end(pause, running)) {
      apply(owner(pause.service()), running);
      log.info("Service {}: resumed automatically, {}", pause.service(), reason);
    } else {
      audit.record(
          command
              .withOutcome("failed: the pause was already ended or replaced")
              .changing(Audit.Change.NONE));
    }
  }

  private synchronized void want(DesiredState state) {
    ServiceOperations owner = owner(state.service());
    if (kept != null) {
      kept.keep(state);
    }
    apply(owner, state);
    log(state);
  }

  private void apply(ServiceOperations owner, DesiredState state) {
    desired.put(state.service(), state);
    if (state.paused()) {
      String by =
          state.reason().isEmpty() ? "by " + state.by() : state.reason() + ", by " + state.by();
      Instant until = state.until();
      owner.pause(until == null ? by : by + ", until " + until.truncatedTo(ChronoUnit.SECONDS));
    } else {
      owner.resume();
    }
  }

  private static void log(DesiredState state) {
    log.info(
        "Service {}: {} requested by {}",
        state.service(),
        state.paused() ? "pause" : "resume",
        state.by());
  }

  /** The current time with the precision of a database. */
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  private ServiceOperations owner(String service) {
    ServiceOperations owner = owners.get(service);
    if (owner == null) {
      throw new IllegalArgumentException(
          "service %s does not exist (known: %s)".formatted(service, owners.keySet()));
    }
    return owner;
  }
}
