/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Audit;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.queue.QueueRefused;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the messages of a plan at a given rate, on its own virtual thread, until too many fail in
 * a row. Each replay is independent and takes effect once; if the process stops, the remaining
 * messages are not replayed. Thread-safe.
 */
final class ReplayRun {

  private static final Logger log = LoggerFactory.getLogger(ReplayRun.class);

  /** How long to wait for outcomes after the last message was sent. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long LOOK_MILLIS = 100;
  private static final Duration RECORD_AGAIN = Duration.ofSeconds(2);

  private final ReplayPlan plan;
  private final ReplayPlan.Order order;
  private final List<String> ids;
  private final Failures failures;
  private final Audit audit;
  private final InstantSource clock;
  private final Instant started;
  private final long startNanos = System.nanoTime();
  private final UnderWay underWay;
  private volatile boolean isSending = true;
  private @Nullable String refusedBy;
  private volatile @Nullable String stoppedBy;
  private volatile ReplayProgress progress;

  ReplayRun(
      ReplayPlan plan,
      ReplayPlan.Order order,
      List<String> ids,
      Failures failures,
      Audit audit,
      InstantSource clock) {
    this.plan = plan;
    this.order = order;
    this.ids = ids;
    this.failures = failures;
    this.audit = audit;
    this.clock = clock;
    this.started = clock.instant();
    this.underWay = new UnderWay(order);
    this.progress = ReplayProgress.planned(ids.size());
  }

  ReplayProgress progress() {
    return progress;
  }

  boolean isRunning() {
    return progress.state() == ReplayProgress.State.RUNNING;
  }

  ReplayPlan plan() {
    return plan;
  }

  ReplayPlan.Order order() {
    return order;
  }

  Instant started() {
    return started;
  }

  /** How many of these messages it replays. */
  int common(Set<String> others) {
    return (int) ids.stream().filter(others::contains).count();
  }

  /**
   * How long it takes to send the rest, at the pace until now; null while it waits for the first
   * outcome, and once all are sent or the run has stopped.
   */
  @Nullable Double secondsLeft() {
    ReplayProgress now = progress;
    boolean noneIsKnown = now.sent() > 0 && now.sent() == now.pending();
    if (!isSending || now.notAttempted() == 0 || noneIsKnown) {
      return null;
    }
    double elapsed = (System.nanoTime() - startNanos) / 1e9;
    double asOrdered = 1 / order.perSecond();
    double each = now.attempted() == 0 ? asOrdered : elapsed / now.attempted();
    return now.notAttempted() * each;
  }

  /** What is replayed, as the audit names it. */
  String target() {
    return plan.target();
  }

  /** Stops the run. Messages already replayed are still performed. */
  void stop(String by) {
    stoppedBy = by;
  }

  /** Whether it must send no more. */
  private boolean isStopped() {
    return stoppedBy != null || refusedBy != null || underWay.hasFailed();
  }

  void run() {
    try {
      sendAll();
      isSending = false;
      progress = progress.saying("No more are sent; waiting for the outcome of those sent.");
      awaitOutcomes();
      end();
    } catch (Unavailable e) {
      log.warn("replay plan {} ends early: {}", plan.id(), e.getMessage());
      end(ReplayProgress.State.FAILED, "%s: %s.".formatted(stoppedAt(), e.getMessage()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      end(ReplayProgress.State.STOPPED, "%s: the process stopped.".formatted(stoppedAt()));
    } catch (RuntimeException | Error e) {
      log.error("replay plan {} ends early", plan.id(), e);
      end(ReplayProgress.State.FAILED, "%s by an error; see the log.".formatted(stoppedAt()));
    }
  }

  private void end() {
    if (underWay.hasFailed()) {
      String failed = RecordedCommand.messages(underWay.failedInARow());
      end(
          ReplayProgress.State.FAILED,
          "%s: %s in a row failed again.".formatted(stoppedAt(), failed));
    } else if (refusedBy != null) {
      end(ReplayProgress.State.FAILED, "%s: %s.".formatted(stoppedAt(), refusedBy));
    } else if (stoppedBy != null) {
      end(ReplayProgress.State.STOPPED, "%s by %s.".formatted(stoppedAt(), stoppedBy));
    } else {
      end(ReplayProgress.State.DONE, rest());
    }
  }

  private String rest() {
    ReplayProgress now = progress;
    if (now.count() > 0 && now.skipped() == now.count()) {
      return "Nothing was sent: all messages were already replayed or discarded.";
    }
    return now.pending() == 0
        ? ""
        : "Not performed after 1 minute: %s.".formatted(RecordedCommand.messages(now.pending()));
  }

  /** What a replay changes of so many messages, for the audit. */
  static Audit.Change change(int messages, String after) {
    return Audit.Change.of("messages", "%,d waiting".formatted(messages), after);
  }

  private String stoppedAt() {
    return "Stopped at %,d of %,d".formatted(progress.attempted(), progress.count());
  }

  private void sendAll() throws InterruptedException {
    long period = (long) (SECOND / order.perSecond());
    long due = System.nanoTime() + period;
    for (String id : ids) {
      awaitTurn(due);
      if (isStopped()) {
        return;
      }
      if (send(id)) {
        due = Math.max(due + period, System.nanoTime() - SECOND);
      }
    }
  }

  /** Reads outcomes until the next message is due and few enough outcomes are unknown. */
  private void awaitTurn(long due) throws InterruptedException {
    look();
    while (!isStopped() && (System.nanoTime() < due || underWay.isFull())) {
      long left = TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()) + 1;
      boolean isDue = left <= 0;
      TimeUnit.MILLISECONDS.sleep(isDue ? LOOK_MILLIS : Math.min(left, LOOK_MILLIS));
      look();
    }
  }

  /**
   * Replays a message, unless someone else has replayed or discarded it.
   *
   * @return false if it was skipped, or the queue refused it
   */
  private boolean send(String id) {
    Failure found = failures.find(id).filter(ReplayPlan::isWaiting).orElse(null);
    if (found == null) {
      progress = progress.plus(0, 0, 0, 0, 1);
      return false;
    }
    try {
      failures.replay(id, order.actor().name());
    } catch (ReplayRefused _) {
      progress = progress.plus(0, 0, 0, 1, 0);
      count(false);
      return true;
    } catch (QueueRefused e) {
      log.warn("replay plan {} stops: {}", plan.id(), e.getMessage());
      refusedBy = e.getMessage();
      return false;
    }
    underWay.add(found.partition(), id);
    progress = progress.plus(0, 0, 1, 0, 0);
    return true;
  }

  private void awaitOutcomes() throws InterruptedException {
    long end = System.nanoTime() + LONGEST_WAIT.toNanos();
    look();
    while (progress.pending() > 0 && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      look();
    }
  }

  private void look() {
    underWay.look(this::outcome, this::known);
  }

  private Failure.Outcome outcome(String id) {
    return failures
        .find(id)
        .map(Failure::replay)
        .map(Failure.Replay::outcome)
        .orElse(Failure.Outcome.DONE);
  }

  private void known(Failure.Outcome outcome) {
    boolean isDone = outcome == Failure.Outcome.DONE;
    progress = progress.plus(isDone ? 1 : 0, isDone ? 0 : 1, -1, 0, 0);
    count(isDone);
  }

  /** Once it must stop, the rest changes nothing. */
  private void count(boolean isDone) {
    if (!isStopped()) {
      underWay.count(isDone);
    }
  }

  private void end(ReplayProgress.State state, String text) {
    Instant now = clock.instant();
    ReplayProgress last = progress.ended(state, text, now);
    progress = last;
    String outcome =
        RecordedCommand.replayEnded(
            state.name().toLowerCase(Locale.ROOT),
            last.sent(),
            last.count(),
            last.done(),
            last.failed(),
            text);
    record(
        new Audit.Entry(
                order.actor(), "failures.replay.result", plan.target(), order.reason(), outcome)
            .changing(change(last.count(), last.parts())),
        now);
  }

  /** Writes the result to the audit, also if its database responds again only later. */
  private void record(Audit.Entry result, Instant at) {
    Audit.Entry entry = result;
    while (true) {
      try {
        audit.record(entry);
        return;
      } catch (Unavailable e) {
        if (entry == result) {
          log.warn(
              "the end of replay plan {} cannot be recorded in the audit now ({}), retrying every"
                  + " 2 s",
              plan.id(),
              result.outcome(),
              e);
          entry =
              result.withOutcome(
                  "%s (ended at %s; the audit was unavailable)"
                      .formatted(result.outcome(), at.truncatedTo(ChronoUnit.SECONDS)));
        }
      }
      try {
        Thread.sleep(RECORD_AGAIN);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        log.warn("the end of replay plan {} is not in the audit ({})", plan.id(), result.outcome());
        return;
      }
    }
  }
}
