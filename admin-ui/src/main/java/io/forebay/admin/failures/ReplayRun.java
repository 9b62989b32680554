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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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

  /** How long to wait for outcomes after the last message was replayed. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /** The most messages that are replayed before their outcomes are known. */
  private static final int AHEAD = 1_000;

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

  /** The sent messages of each partition, in the order in which their outcomes come. */
  private final Map<Integer, Deque<String>> pending = new TreeMap<>();

  private int failedInARow;
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
   * How long it takes to send the rest, at the pace until now; null once all are sent or the run
   * has ended.
   */
  @Nullable Double secondsLeft() {
    ReplayProgress now = progress;
    if (now.state() != ReplayProgress.State.RUNNING || now.notAttempted() == 0) {
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

  private boolean isStopped() {
    return stoppedBy != null;
  }

  void run() {
    try {
      sendAll();
      awaitOutcomes();
      String by = stoppedBy;
      if (by == null) {
        end(ReplayProgress.State.DONE, rest());
      } else {
        end(ReplayProgress.State.STOPPED, "%s by %s.".formatted(stoppedAt(), by));
      }
    } catch (Unavailable | QueueRefused e) {
      log.warn("replay plan {} ends early: {}", plan.id(), e.getMessage());
      end(ReplayProgress.State.FAILED, "%s: %s.".formatted(stoppedAt(), e.getMessage()));
    } catch (TooManyFailures _) {
      end(
          ReplayProgress.State.FAILED,
          "%s: %,d messages in a row failed again.".formatted(stoppedAt(), failedInARow));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      end(ReplayProgress.State.STOPPED, "%s: the process stopped.".formatted(stoppedAt()));
    } catch (RuntimeException | Error e) {
      log.error("replay plan {} ends early", plan.id(), e);
      end(ReplayProgress.State.FAILED, "%s by an error; see the log.".formatted(stoppedAt()));
    }
  }

  private String rest() {
    ReplayProgress now = progress;
    if (now.count() > 0 && now.skipped() == now.count()) {
      return "Nothing was sent: all messages were already replayed or discarded.";
    }
    return now.pending() == 0
        ? ""
        : "%,d messages are not performed after 1 minute.".formatted(now.pending());
  }

  /** What a replay changes of so many messages, for the audit. */
  static Audit.Change change(int messages, String after) {
    return Audit.Change.of("messages", "%,d waiting".formatted(messages), after);
  }

  private String stoppedAt() {
    return "Stopped at %,d of %,d".formatted(progress.attempted(), progress.count());
  }

  private void sendAll() throws InterruptedException {
    long period = (long) (TimeUnit.SECONDS.toNanos(1) / order.perSecond());
    long due = System.nanoTime() + period;
    for (String id : ids) {
      while (!isStopped() && (System.nanoTime() < due || progress.pending() >= AHEAD)) {
        long millis = TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()) + 1;
        TimeUnit.MILLISECONDS.sleep(Math.clamp(millis, 1, LOOK_MILLIS));
        look();
      }
      if (isStopped()) {
        return;
      }
      if (send(id)) {
        due += period;
      }
    }
  }

  /**
   * Replays a message, unless someone else has replayed or discarded it.
   *
   * @return false if it was skipped
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
      failed();
      return true;
    }
    pending.computeIfAbsent(found.partition(), _ -> new ArrayDeque<>()).add(id);
    progress = progress.plus(0, 0, 1, 0, 0);
    return true;
  }

  private void awaitOutcomes() throws InterruptedException {
    long end = System.nanoTime() + LONGEST_WAIT.toNanos();
    look();
    while (progress.pending() > 0 && !isStopped() && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      look();
    }
  }

  /** Counts the outcomes in each partition, up to the first message that is not performed yet. */
  private void look() {
    for (Deque<String> sent : pending.values()) {
      while (!sent.isEmpty()) {
        Failure.Outcome outcome =
            failures
                .find(sent.getFirst())
                .map(Failure::replay)
                .map(Failure.Replay::outcome)
                .orElse(Failure.Outcome.DONE);
        if (outcome == Failure.Outcome.PENDING) {
          break;
        }
        sent.removeFirst();
        if (outcome == Failure.Outcome.FAILED) {
          progress = progress.plus(0, 1, -1, 0, 0);
          failed();
        } else {
          progress = progress.plus(1, 0, -1, 0, 0);
          failedInARow = 0;
        }
      }
    }
  }

  private void failed() {
    failedInARow++;
    if (failedInARow >= order.stopAfterFailures()) {
      throw new TooManyFailures();
    }
  }

  private void end(ReplayProgress.State state, String text) {
    Instant now = clock.instant();
    ReplayProgress last = progress.ended(state, text, now);
    progress = last;
    String outcome =
        RecordedCommand.replayEnded(
            state.name().toLowerCase(Locale.ROOT), last.done(), last.failed(), last.count(), text);
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

  private static final class TooManyFailures extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
