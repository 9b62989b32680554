/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The plans of this process and their runs, in memory; a restart discards them, and the messages
 * that were not sent stay open. Thread-safe.
 *
 * <p>A plan belongs to one instance: with several, the browser must reach the same one again.
 */
final class ReplayPlans implements AutoCloseable {

  /** The most messages of a plan; more messages need several plans. */
  static final int LARGEST = 10_000;

  private static final int PLANS = 100;
  private static final Duration SHOWN = Duration.ofHours(1);
  private static final Duration RUNS_WITHIN = Duration.ofMinutes(5);

  private final Failures failures;
  private final Audit audit;
  private final InstantSource clock;
  private final Map<String, ReplayPlan> plans = new LinkedHashMap<>();
  private final Map<String, ReplayRun> runs = new LinkedHashMap<>();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("forebay-replay").factory());

  ReplayPlans(Failures failures, Audit audit, InstantSource clock) {
    this.failures = failures;
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * Makes a plan with a fixed list of messages; changes nothing.
   *
   * @param filter selects the messages; names service and error
   * @param ids the messages, which are of that service and error; null for all of the filter
   */
  ReplayPlan make(Failures.Filter filter, @Nullable List<String> ids) {
    String service = Objects.requireNonNull(filter.service());
    String error = Objects.requireNonNull(filter.error());
    List<Failure> meant = ids == null ? waiting(filter) : found(ids, service, error);
    ReplayPlan plan =
        new ReplayPlan(
            UUID.randomUUID().toString(),
            service,
            error,
            filter.cause(),
            meant.isEmpty() ? null : meant.getFirst().detail(),
            RecordedCommand.group(
                error, service, Causes.words(ids == null ? filter.cause() : null), meant.size()),
            meant.stream().filter(it -> !ReplayPlan.isOver(it)).map(Failure::id).toList(),
            meant.stream().filter(ReplayPlan::isOver).map(Failure::id).toList(),
            clock.instant().plus(RUNS_WITHIN));
    keep(plan);
    return plan;
  }

  private synchronized void keep(ReplayPlan plan) {
    plans.put(plan.id(), plan);
    List.copyOf(plans.keySet()).stream()
        .filter(it -> runs.get(it) == null || !runs.get(it).isRunning())
        .limit(Math.max(0, plans.size() - PLANS))
        .forEach(plans::remove);
    runs.keySet().retainAll(plans.keySet());
  }

  private List<Failure> waiting(Failures.Filter filter) {
    List<Failure> all = new ArrayList<>();
    @Nullable String next = null;
    do {
      Failures.Page page = failures.page(filter, next, Failures.MAX_LIMIT);
      all.addAll(page.failures());
      next = page.next();
    } while (next != null && all.size() < LARGEST);
    return all.reversed(); // the oldest first, in the order of arrival
  }

  /** The audit names service and error, so they must be those of the messages. */
  private List<Failure> found(List<String> ids, String service, String error) {
    if (ids.size() > Failures.MAX_LIMIT) {
      throw Problem.invalid("At most %d ids are allowed.".formatted(Failures.MAX_LIMIT));
    }
    List<Failure> found =
        ids.stream().distinct().flatMap(id -> failures.find(id).stream()).toList();
    for (Failure failure : found) {
      if (!failure.service().equals(service) || !error.equals(FailuresController.error(failure))) {
        throw Problem.invalid(
            "Message %s is not one of service %s that failed with %s."
                .formatted(failure.id(), service, error));
      }
    }
    return found.stream().filter(ReplayPlan::isWaiting).toList();
  }

  /** Starts a run, which is first recorded in the audit. */
  synchronized ReplayRun run(String id, ReplayRun.Order order) {
    ReplayPlan plan = plan(id);
    if (runs.containsKey(id)) {
      throw Problem.conflict("The plan has already been run.");
    }
    if (plan.expires().isBefore(clock.instant())) {
      throw Problem.conflict("The plan has expired (limit=5 minutes); make a new plan.");
    }
    if (!order.all() && plan.ids().isEmpty() && !plan.overReplays().isEmpty()) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This needs the role admin.");
    }
    ReplayRun other = running(plan.service());
    if (other != null) {
      throw Problem.conflict(
          "A replay of %s is running (started by %s, %,d of %,d sent); wait until it ends, or stop it."
              .formatted(
                  plan.service(),
                  other.order().actor().name(),
                  other.progress().sent(),
                  other.progress().count()));
    }
    ReplayRun run = new ReplayRun(plan, order, failures, audit, clock);
    audit.record(
        Audit.Entry.allowed(order.actor(), "failures.replay", plan.target(), order.reason())
            .changing(ReplayPlan.change(run.progress().count(), "replayed")));
    runs.put(id, run);
    threads.execute(run::run);
    return run;
  }

  /** The running replay of a service; null if there is none. */
  synchronized @Nullable ReplayRun running(String service) {
    return runs.values().stream()
        .filter(run -> run.isRunning() && run.plan().service().equals(service))
        .findFirst()
        .orElse(null);
  }

  /** The replays that run or ended within the last hour, the newest first. */
  synchronized List<ReplayRun> lately() {
    Instant since = clock.instant().minus(SHOWN);
    return runs.values().stream()
        .filter(run -> {
          Instant ended = run.progress().ended();
          return ended == null || ended.isAfter(since);
        })
        .toList()
        .reversed();
  }

  synchronized ReplayPlan plan(String id) {
    ReplayPlan plan = plans.get(id);
    if (plan == null) {
      throw Problem.notFound(
          "There is no such plan on this instance, or it has expired; make a new plan.");
    }
    return plan;
  }

  /** The run of a plan. */
  synchronized ReplayRun find(String id) {
    ReplayRun run = runs.get(plan(id).id());
    if (run == null) {
      throw Problem.notFound("The plan has not been run.");
    }
    return run;
  }

  /** Stops all runs. */
  @Override
  public void close() throws InterruptedException {
    threads.shutdownNow();
    boolean _ = threads.awaitTermination(5, TimeUnit.SECONDS);
  }
}
