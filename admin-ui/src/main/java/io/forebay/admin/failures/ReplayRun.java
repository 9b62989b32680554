/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.queue.QueueRefused;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the messages of a plan at a given rate, on its own virtual thread, until too many fail in
 * a row. Each replay is independent and takes effect once; if the process stops, the remaining
 * messages are not replayed. Thread-safe.
 */
final class ReplayRun {

  private static final Logger log = LoggerFactory.getLogger(ReplayRun.class);

  /** How long to wait for outcomes after the last message was replayed. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /** The most messages that are replayed before their outcomes are known. */
  private static final int AHEAD = 1_000;

  private static final long LOOK_MILLIS = 100;

  /** The state of a run. */
  enum State {
    RUNNING,
    DONE,
    STOPPED,
    FAILED
  }

  /**
   * @param done messages that took effect
   * @param failed messages that failed again or could not be replayed
   */
  record Progress(State state, int done, int failed, int count, String text) {}

  private final ReplayPlan plan;
  private final ReplayPlan.Order order;
  private final List<String> ids;
  private final Failures failures;
  private final Audit audit;
  private final Deque<String> pending = new ArrayDeque<>();
  private int attempted;
  private int failedInARow;
  private volatile boolean stopped;
  private volatile Progress progress;

  ReplayRun(
      ReplayPlan plan, ReplayPlan.Order order, List<String> ids, Failures failures, Audit audit) {
    this.plan = plan;
    this.order = order;
    this.ids = ids;
    this.failures = failures;
    this.audit = audit;
    this.progress = new Progress(State.RUNNING, 0, 0, ids.size(), "");
  }

  Progress progress() {
    return progress;
  }

  /** What is replayed, as the audit names it. */
  String target() {
    return plan.target();
  }

  /** Stops the run. Messages already replayed are still performed. */
  void stop() {
    stopped = true;
  }

  void run() {
    try {
      sendAll();
      awaitOutcomes();
      end(
          stopped ? State.STOPPED : State.DONE,
          pending.isEmpty() ? "" : pending.size() + " were replayed and are not performed yet.");
    } catch (Unavailable | QueueRefused e) {
      log.warn("replay plan {} ends early: {}", plan.id(), e.getMessage());
      end(
          State.FAILED,
          "The database or the queue is not available; %s; make a new plan for the rest."
              .formatted(notAttempted()));
    } catch (TooManyFailures _) {
      end(
          State.FAILED,
          "%,d messages in a row failed again; %s.".formatted(failedInARow, notAttempted()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      end(State.STOPPED, "The process stopped; %s.".formatted(notAttempted()));
    } catch (RuntimeException | Error e) {
      log.error("replay plan {} ends early", plan.id(), e);
      end(State.FAILED, "The replay ended with an error; see the log.");
    }
  }

  /** What a replay changes of so many messages, for the audit. */
  static Audit.Change change(int messages, String after) {
    return Audit.Change.of("messages", "%,d waiting".formatted(messages), after);
  }

  private String notAttempted() {
    return "%,d not attempted".formatted(ids.size() - attempted);
  }

  private void sendAll() throws InterruptedException {
    long period = (long) (TimeUnit.SECONDS.toNanos(1) / order.perSecond());
    long due = System.nanoTime();
    for (String id : ids) {
      due += period;
      while (!stopped && (System.nanoTime() < due || pending.size() >= AHEAD)) {
        long millis = TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()) + 1;
        TimeUnit.MILLISECONDS.sleep(Math.clamp(millis, 1, LOOK_MILLIS));
        look();
      }
      if (stopped) {
        return;
      }
      send(id);
    }
  }

  /** Replays a message, unless someone else has replayed or discarded it. */
  private void send(String id) {
    attempted++;
    Optional<Failure> found = failures.find(id);
    if (found.filter(ReplayPlan::isWaiting).isEmpty()) {
      count(0, 0);
      return;
    }
    try {
      failures.replay(id, order.actor().name());
      pending.add(id);
    } catch (ReplayRefused _) {
      failed();
    }
  }

  private void awaitOutcomes() throws InterruptedException {
    long end = System.nanoTime() + LONGEST_WAIT.toNanos();
    look();
    while (!pending.isEmpty() && !stopped && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      look();
    }
  }

  /** Counts the outcomes of the oldest messages, up to the first that is not performed yet. */
  private void look() {
    while (!pending.isEmpty()) {
      Failure.Outcome outcome =
          failures
              .find(pending.getFirst())
              .map(Failure::replay)
              .map(Failure.Replay::outcome)
              .orElse(Failure.Outcome.DONE);
      if (outcome == Failure.Outcome.PENDING) {
        return;
      }
      pending.removeFirst();
      if (outcome == Failure.Outcome.FAILED) {
        failed();
      } else {
        failedInARow = 0;
        count(1, 0);
      }
    }
  }

  private void failed() {
    count(0, 1);
    failedInARow++;
    if (failedInARow >= order.stopAfterFailures()) {
      throw new TooManyFailures();
    }
  }

  private void count(int done, int failed) {
    Progress now = progress;
    progress = new Progress(now.state(), now.done() + done, now.failed() + failed, now.count(), "");
  }

  private void end(State state, String text) {
    Progress last = progress;
    progress = new Progress(state, last.done(), last.failed(), last.count(), text);
    String outcome =
        "%s: %,d done, %,d failed, of %,d"
            .formatted(
                state.name().toLowerCase(Locale.ROOT), last.done(), last.failed(), last.count());
    try {
      audit.record(
          new Audit.Entry(
                  order.actor(), "failures.replay.result", plan.target(), order.reason(), outcome)
              .changing(
                  change(
                      last.count(),
                      "%,d done, %,d failed again, %s"
                          .formatted(last.done(), last.failed(), notAttempted()))));
    } catch (Unavailable e) {
      log.warn(
          "the end of replay plan {} could not be recorded in the audit ({})",
          plan.id(),
          outcome,
          e);
    }
  }

  private static final class TooManyFailures extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
