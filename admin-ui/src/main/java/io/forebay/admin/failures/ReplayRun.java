/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import io.forebay.operations.Actor;
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
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;

/**
 * Replays messages at a given rate, until too many fail in a row. Each replay is independent and
 * takes effect once; if the process stops, the remaining messages stay open. One thread runs it,
 * any thread reads its progress.
 *
 * <p>Few outcomes are unknown at a time, so that it stops in time: at first as many as may fail in
 * a row, then one more for each message that took effect since the last failure, up to the messages
 * of a second.
 */
final class ReplayRun {

  private static final Logger log = LoggerFactory.getLogger(ReplayRun.class);

  /** How long to wait for outcomes after the last message was sent. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long LOOK_MILLIS = 100;

  /** The result is recorded also if the database of the audit responds again only later. */
  private static final RetryTemplate RECORDING =
      new RetryTemplate(
          RetryPolicy.builder()
              .includes(Unavailable.class)
              .maxRetries(Long.MAX_VALUE)
              .delay(Duration.ofSeconds(2))
              .build());

  private final ReplayPlan plan;
  private final Order order;
  private final List<String> ids;
  private final Failures failures;
  private final Audit audit;
  private final InstantSource clock;
  private final Instant started;

  /** The messages of each partition without an outcome, in the order in which outcomes come. */
  private final Map<Integer, Deque<String>> sent = new TreeMap<>();

  private int failedInARow;
  private int doneInARow;
  private volatile @Nullable Stop stop;
  private volatile Progress progress;

  /**
   * An order to run a plan.
   *
   * @param all whether to include messages that were replayed too often
   * @param perSecond messages replayed per second
   * @param stopAfterFailures the run stops after so many consecutive failures
   */
  record Order(Actor actor, String reason, boolean all, double perSecond, int stopAfterFailures) {}

  /** Why no more messages are sent; the words follow "Stopped at 3 of 7". */
  private record Stop(State state, String why) {}

  enum State {
    RUNNING,
    DONE,
    STOPPED,
    FAILED;

    @JsonValue
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What became of the messages so far. Each is counted once: {@code count} is the sum of {@code
   * done}, {@code failed}, {@code pending}, {@code refused}, {@code skipped} and {@link
   * #notAttempted}.
   *
   * @param done messages that were sent and took effect
   * @param failed messages that were sent and failed again
   * @param pending messages that were sent and whose outcome is not known yet
   * @param refused messages that could not be sent
   * @param skipped messages that somebody else had replayed or discarded before
   * @param ended null while it runs
   */
  record Progress(
      State state,
      int count,
      int done,
      int failed,
      int pending,
      int refused,
      int skipped,
      String text,
      @Nullable Instant ended) {

    @JsonProperty
    int sent() {
      return done + failed + pending;
    }

    @JsonProperty
    int notAttempted() {
      return count - sent() - refused - skipped;
    }

    private Progress plus(int done, int failed, int pending, int refused, int skipped) {
      return new Progress(
          state,
          count,
          this.done + done,
          this.failed + failed,
          this.pending + pending,
          this.refused + refused,
          this.skipped + skipped,
          text,
          ended);
    }

    private Progress with(State state, String text, @Nullable Instant ended) {
      return new Progress(state, count, done, failed, pending, refused, skipped, text, ended);
    }

    /** All parts, for the audit. */
    private String parts() {
      return String.format(
              Locale.ROOT,
              "%,d performed, %,d failed again, %,d not attempted",
              done,
              failed,
              notAttempted())
          + part(pending, "sent with unknown outcome")
          + part(refused, "could not be sent")
          + part(skipped, "already replayed or discarded");
    }

    private static String part(int count, String what) {
      return count == 0 ? "" : String.format(Locale.ROOT, ", %,d %s", count, what);
    }
  }

  ReplayRun(ReplayPlan plan, Order order, Failures failures, Audit audit, InstantSource clock) {
    this.plan = plan;
    this.order = order;
    this.ids = order.all() ? plan.all() : plan.ids();
    this.failures = failures;
    this.audit = audit;
    this.clock = clock;
    this.started = clock.instant();
    progress = new Progress(State.RUNNING, ids.size(), 0, 0, 0, 0, 0, "", null);
  }

  Progress progress() {
    return progress;
  }

  boolean isRunning() {
    return progress.state() == State.RUNNING;
  }

  ReplayPlan plan() {
    return plan;
  }

  Order order() {
    return order;
  }

  Instant started() {
    return started;
  }

  /** Stops the run. Messages already replayed are still performed. */
  void stop(String by) {
    stop(State.STOPPED, " by " + by);
  }

  /** The first reason counts. */
  private synchronized void stop(State state, String why) {
    if (stop == null) {
      stop = new Stop(state, why);
    }
  }

  void run() {
    try {
      sendAll();
      progress =
          progress.with(
              State.RUNNING, "No more are sent; waiting for the outcome of those sent.", null);
      awaitOutcomes();
    } catch (Unavailable e) {
      log.warn("replay plan {} ends early: {}", plan.id(), e.getMessage());
      stop(State.FAILED, ": " + e.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      stop(State.STOPPED, ": the process stopped");
    } catch (RuntimeException | Error e) {
      log.error("replay plan {} ends early", plan.id(), e);
      stop(State.FAILED, " by an error; see the log");
    }
    end();
  }

  private void sendAll() throws InterruptedException {
    long period = (long) (SECOND / order.perSecond());
    long due = System.nanoTime() + period;
    for (String id : ids) {
      awaitTurn(due);
      if (stop != null) {
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
    while (stop == null && (System.nanoTime() < due || isFull())) {
      long left = TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()) + 1;
      TimeUnit.MILLISECONDS.sleep(left <= 0 ? LOOK_MILLIS : Math.min(left, LOOK_MILLIS));
      look();
    }
  }

  private boolean isFull() {
    int mayFail = order.stopAfterFailures();
    return progress.pending()
        >= Math.max(mayFail, Math.min(mayFail + doneInARow, (int) order.perSecond()));
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
      follow(false);
      return true;
    } catch (QueueRefused e) {
      log.warn("replay plan {} stops: {}", plan.id(), e.getMessage());
      stop(State.FAILED, ": " + e.getMessage());
      return false;
    }
    sent.computeIfAbsent(found.partition(), _ -> new ArrayDeque<>()).add(id);
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

  /** Counts the outcomes that are known, in each partition up to the first that is not. */
  private void look() {
    for (Deque<String> ofPartition : sent.values()) {
      while (!ofPartition.isEmpty()) {
        Failure.Outcome outcome = outcome(ofPartition.getFirst());
        if (outcome == Failure.Outcome.PENDING) {
          break;
        }
        ofPartition.removeFirst();
        boolean isDone = outcome == Failure.Outcome.DONE;
        progress = progress.plus(isDone ? 1 : 0, isDone ? 0 : 1, -1, 0, 0);
        follow(isDone);
      }
    }
  }

  private Failure.Outcome outcome(String id) {
    return failures
        .find(id)
        .map(Failure::replay)
        .map(Failure.Replay::outcome)
        .orElse(Failure.Outcome.DONE);
  }

  private void follow(boolean isDone) {
    failedInARow = isDone ? 0 : failedInARow + 1;
    doneInARow = isDone ? doneInARow + 1 : 0;
    if (failedInARow >= order.stopAfterFailures()) {
      String failed = RecordedCommand.messages(failedInARow);
      stop(State.FAILED, ": %s in a row failed again".formatted(failed));
    }
  }

  private void end() {
    Stop early = stop;
    Progress last = progress;
    last =
        early == null
            ? last.with(State.DONE, rest(last), clock.instant())
            : last.with(early.state(), stopped(last, early), clock.instant());
    progress = last;
    Audit.Entry result =
        new Audit.Entry(
                order.actor(),
                "failures.replay.result",
                plan.target(),
                order.reason(),
                RecordedCommand.replayEnded(
                    last.state().text(),
                    last.sent(),
                    last.count(),
                    last.done(),
                    last.failed(),
                    last.text()))
            .changing(ReplayPlan.change(last.count(), last.parts()));
    try {
      audit.record(result);
      return;
    } catch (Unavailable e) {
      log.warn(
          "the end of replay plan {} cannot be recorded in the audit now ({}), retrying every 2 s",
          plan.id(),
          result.outcome(),
          e);
    }
    Audit.Entry late =
        result.withOutcome(
            "%s (ended at %s; the audit was unavailable)"
                .formatted(result.outcome(), clock.instant().truncatedTo(ChronoUnit.SECONDS)));
    try {
      RECORDING.execute(() -> record(late));
    } catch (RetryException e) {
      log.warn(
          "the end of replay plan {} is not in the audit ({})", plan.id(), result.outcome(), e);
    }
  }

  private boolean record(Audit.Entry result) {
    audit.record(result);
    return true;
  }

  private static String stopped(Progress last, Stop early) {
    return String.format(
        Locale.ROOT,
        "Stopped at %,d of %,d%s.",
        last.count() - last.notAttempted(),
        last.count(),
        early.why());
  }

  private static String rest(Progress last) {
    if (last.count() > 0 && last.skipped() == last.count()) {
      return "Nothing was sent: all messages were already replayed or discarded.";
    }
    return last.pending() == 0
        ? ""
        : "Not performed after 1 minute: %s.".formatted(RecordedCommand.messages(last.pending()));
  }
}
