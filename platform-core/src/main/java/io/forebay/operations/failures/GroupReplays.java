/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.machine.Machine;
import io.forebay.operations.Audit;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The replays of groups at this instance that run, or ended within an hour. Thread-safe. */
public final class GroupReplays implements AutoCloseable {

  private static final Duration SHOWN = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Failures failures;
  private final Audit audit;
  private final Map<GroupReplay, Thread> replays = new LinkedHashMap<>();

  public GroupReplays(Failures failures, Audit audit) {
    this.failures = failures;
    this.audit = audit;
  }

  /**
   * Starts a replay, which is first recorded in the audit.
   *
   * @throws DecisionRefused if another replay of the service is running
   */
  public synchronized GroupReplay start(Selection selection, GroupReplay.Order order) {
    for (GroupReplay other : lately()) {
      if (other.isRunning() && other.selection().service().equals(selection.service())) {
        throw new DecisionRefused(
            "a replay of %s is running (started by %s, %,d of %,d sent); wait until it ends, or stop it"
                .formatted(
                    selection.service(),
                    other.order().actor().name(),
                    other.progress().sent(),
                    other.progress().count()));
      }
    }
    GroupReplay replay = new GroupReplay(selection, order, failures, audit);
    audit.record(
        Audit.Entry.allowed(order.actor(), "failures.replay", selection.target(), order.reason())
            .changing(selection.change("replayed")));
    replays.put(replay, Machine.thread("forebay-replay").start(replay::run));
    return replay;
  }

  /** The newest first. */
  public synchronized List<GroupReplay> lately() {
    Instant since = Machine.now().minus(SHOWN);
    replays
        .keySet()
        .removeIf(it -> {
          Instant ended = it.progress().ended();
          return ended != null && ended.isBefore(since);
        });
    return List.copyOf(replays.keySet()).reversed();
  }

  public Optional<GroupReplay> find(String id) {
    return lately().stream().filter(it -> it.id().equals(id)).findFirst();
  }

  /** Stops all replays. */
  @Override
  public synchronized void close() {
    replays.keySet().forEach(GroupReplay::close);
    replays.values().forEach(thread -> Machine.awaitEnd(thread, PATIENCE));
  }
}
