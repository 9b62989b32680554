/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The plans of this process, in memory; a restart discards them. Thread-safe.
 *
 * <p>A plan belongs to one instance: with several, the browser must reach the same one again.
 */
final class ReplayPlans implements AutoCloseable {

  /** The most messages of a plan; more messages need several plans. */
  static final int LARGEST = 10_000;

  private static final int PLANS = 100;
  private static final int SHOWN_MINUTES = 60;
  private static final Duration RUNS_WITHIN = Duration.ofMinutes(5);

  private final Failures failures;
  private final Audit audit;
  private final InstantSource clock;
  private final Map<String, Kept> kept =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
          return size() > PLANS && !eldest.getValue().isRunning();
        }
      };

  ReplayPlans(Failures failures, Audit audit, InstantSource clock) {
    this.failures = failures;
    this.audit = audit;
    this.clock = clock;
  }

  /** A plan, and its run if it has been started. */
  private static final class Kept {

    final ReplayPlan plan;
    @Nullable ReplayRun run;
    @Nullable Thread thread;

    Kept(ReplayPlan plan) {
      this.plan = plan;
    }

    boolean isRunning() {
      return run != null && run.isRunning();
    }
  }

  /**
   * Makes a plan with a fixed list of messages; changes nothing.
   *
   * @param cause null for all
   * @param state of which messages are meant if there are no ids
   * @param ids null for all messages of that service, error, cause and state
   */
  ReplayPlan make(
      String service,
      String error,
      Failures.@Nullable Cause cause,
      Failure.State state,
      @Nullable List<String> ids) {
    Failures.Filter filter = new Failures.Filter(service, error, cause, state);
    List<Failure> meant = ids == null ? waiting(filter) : found(ids, service, error);
    ReplayPlan plan =
        new ReplayPlan(
            UUID.randomUUID().toString(),
            new ReplayPlan.Group(
                service, error, cause, meant.isEmpty() ? null : meant.getFirst().detail()),
            RecordedCommand.group(
                error, service, Causes.words(ids == null ? cause : null), meant.size()),
            meant.stream().filter(it -> !ReplayPlan.isOver(it)).map(Failure::id).toList(),
            meant.stream().filter(ReplayPlan::isOver).map(Failure::id).toList(),
            clock.instant().plus(RUNS_WITHIN));
    synchronized (this) {
      kept.put(plan.id(), new Kept(plan));
    }
    return plan;
  }

  private List<Failure> waiting(Failures.Filter filter) {
    List<Failure> all = new ArrayList<>();
    @Nullable String next = null;
    do {
      Failures.Page page = failures.page(filter, next, Failures.MAX_LIMIT);
      all.addAll(page.failures());
      next = page.next();
    } while (next != null && all.size() < LARGEST);
    // Oldest first, in the order of arrival.
    return all.reversed();
  }

  /** The audit names service and error, so they must be those of the messages. */
  private List<Failure> found(List<String> ids, String service, String error) {
    if (ids.size() > Failures.MAX_LIMIT) {
      throw Problem.invalid("At most %d ids are allowed.".formatted(Failures.MAX_LIMIT));
    }
    return ids.stream()
        .distinct()
        .flatMap(id -> failures.find(id).stream())
        .peek(it -> mustBeOf(it, service, error))
        .filter(ReplayPlan::isWaiting)
        .toList();
  }

  private static void mustBeOf(Failure failure, String service, String error) {
    String state = failure.sqlState();
    if (!failure.service().equals(service)
        || !error.equals(state == null || state.isEmpty() ? failure.kind() : state)) {
      throw Problem.invalid(
          "Message %s is not one of service %s that failed with %s."
              .formatted(failure.id(), service, error));
    }
  }

  /**
   * Starts a run, which is first recorded in the audit.
   *
   * @param all whether to include messages that were replayed too often
   */
  synchronized ReplayRun run(String id, ReplayPlan.Order order, boolean all) {
    Kept entry = kept(id);
    ReplayPlan plan = entry.plan;
    if (entry.run != null) {
      throw Problem.conflict("The plan has already been run.");
    }
    if (plan.expires().isBefore(clock.instant())) {
      throw Problem.conflict("The plan has expired (limit=5 minutes); make a new plan.");
    }
    List<String> ids = new ArrayList<>(plan.ids());
    if (all) {
      ids.addAll(plan.overReplays());
    }
    if (ids.isEmpty() && !plan.overReplays().isEmpty()) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This needs the role admin.");
    }
    ReplayRun other = runningWithAnyOf(ids);
    if (other != null) {
      throw Problem.conflict(
          "A replay of %,d of these messages is running (started by %s, %,d of %,d sent); wait until it ends, or stop it."
              .formatted(
                  other.common(Set.copyOf(ids)),
                  other.order().actor().name(),
                  other.progress().sent(),
                  other.progress().count()));
    }
    audit.record(
        Audit.Entry.allowed(order.actor(), "failures.replay", plan.target(), order.reason())
            .changing(ReplayRun.change(ids.size(), "replayed")));
    ReplayRun run = new ReplayRun(plan, order, List.copyOf(ids), failures, audit, clock);
    entry.run = run;
    entry.thread = Thread.ofVirtual().name("forebay-replay").start(run::run);
    return run;
  }

  /** Stops the run of a plan, if there is one, which is first recorded in the audit. */
  void stop(String id, Actor actor, String reason) {
    ReplayRun run = find(id);
    if (run != null) {
      audit.perform(
          Audit.Entry.allowed(actor, "failures.replay.stop", run.target(), reason),
          () -> {
            run.stop(actor.name());
            return run;
          });
    }
  }

  /** A running replay of some of these messages; null if there is none. */
  synchronized @Nullable ReplayRun runningWithAnyOf(Collection<String> ids) {
    Set<String> wanted = Set.copyOf(ids);
    return runs()
        .filter(ReplayRun::isRunning)
        .filter(run -> run.common(wanted) > 0)
        .findFirst()
        .orElse(null);
  }

  /**
   * The replays that run or ended within the last {@value #SHOWN_MINUTES} minutes, the newest
   * first.
   */
  synchronized List<ReplayRun> lately() {
    Instant since = clock.instant().minus(Duration.ofMinutes(SHOWN_MINUTES));
    return runs()
        .filter(run -> {
          Instant ended = run.progress().ended();
          return ended == null || ended.isAfter(since);
        })
        .sorted(Comparator.comparing(ReplayRun::started).reversed())
        .toList();
  }

  private Stream<ReplayRun> runs() {
    return kept.values().stream().map(entry -> entry.run).filter(Objects::nonNull);
  }

  synchronized ReplayPlan plan(String id) {
    return kept(id).plan;
  }

  /** The run of a plan; null if it has not been started. */
  synchronized @Nullable ReplayRun find(String id) {
    return kept(id).run;
  }

  private Kept kept(String id) {
    Kept entry = kept.get(id);
    if (entry == null) {
      throw Problem.notFound(
          "There is no such plan on this instance, or it has expired; make a new plan.");
    }
    return entry;
  }

  /** Stops all runs. */
  @Override
  public void close() throws InterruptedException {
    List<Thread> running = new ArrayList<>();
    synchronized (this) {
      for (Kept entry : kept.values()) {
        if (entry.thread != null && entry.thread.isAlive()) {
          entry.thread.interrupt();
          running.add(entry.thread);
        }
      }
    }
    for (Thread thread : running) {
      thread.join(Duration.ofSeconds(5));
    }
  }
}
