/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.machine.Machine;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.queue.QueueRefused;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays messages at a given rate, until too many fail in a row. A message is sent only if it
 * still waits; if the process ends, the messages whose sending was not recorded stay as they are,
 * and the next replay of the group sends them. One thread runs it, any thread reads its progress.
 *
 * <p>Few outcomes are unknown at a time, so that it stops in time: at first as many as may fail in
 * a row, then one more for each message that took effect since the last failure, up to the messages
 * of a second.
 */
public final class GroupReplay {

  private static final Logger log = LoggerFactory.getLogger(GroupReplay.class);

  /** How long to wait for outcomes after the last message was sent. */
  private static final long LONGEST_WAIT = Duration.ofMinutes(1).toNanos();

  private static final String NOTHING =
      "Nothing was sent: others replayed or discarded these messages, or only administrators may replay them again.";

  /** So many messages that were sent last tell the rate. */
  private static final int LAST = 10;

  /** So many messages at most are sent before it is seen that somebody decided about them. */
  private static final int SENT_AT_ONCE = 20;

  /** So many messages at most are looked up at once. */
  private static final int MOST_AT_ONCE = 100;

  private static final long LOOK = Duration.ofMillis(100).toNanos();
  private static final long RETRY = Duration.ofSeconds(2).toNanos();
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final String id = Machine.uuid().toString();
  private final Instant started = Machine.now().truncatedTo(ChronoUnit.SECONDS);
  private final Selection selection;
  private final Order order;
  private final Failures failures;
  private final Audit audit;

  /** The messages of each partition without an outcome, in the order in which outcomes come. */
  private final Map<Integer, Deque<String>> pending = new TreeMap<>();

  private long lastSent;

  /** The mean time between the last ten messages or so; 0 if that is not known yet. */
  private double gap;

  private int sent;
  private int done;
  private int failed;
  private int failedInARow;
  private int unsentInARow;
  private int doneInARow;
  private volatile @Nullable Stop stop;
  private volatile boolean closed;
  private volatile Progress progress;

  /**
   * @param perSecond messages sent per second
   * @param stopAfterFailures the replay stops after so many consecutive failures
   * @param often whether it sends messages, too, that were replayed {@value Failure#OFTEN} times
   */
  public record Order(
      Actor actor, String reason, double perSecond, int stopAfterFailures, boolean often) {}

  public enum State {
    RUNNING,
    /** It sent all messages that still waited. */
    DONE,
    /** An operator stopped it, or the process ended. */
    STOPPED,
    /** It ended early. */
    FAILED
  }

  /** Why no more messages are sent; the words follow "Stopped at 3 of 7". */
  private record Stop(State state, String why) {}

  /**
   * What became of the messages so far. The outcome of a message that was sent is unknown until it
   * is {@code done} or {@code failed}.
   *
   * @param sent messages that were sent
   * @param done messages that took effect
   * @param failed messages that failed again
   * @param perSecond the rate at which the last messages were sent; 0 if that is not known yet
   * @param text why it ended early; else empty
   * @param ended null while it runs
   */
  public record Progress(
      State state,
      int count,
      int sent,
      int done,
      int failed,
      double perSecond,
      String text,
      Instant started,
      @Nullable Instant ended) {

    /** For the audit. */
    private String words() {
      return String.format(
              Locale.ROOT,
              "%s: %,d of %,d sent, %,d performed, %,d failed again, %,d with unknown outcome, ended at %s. %s",
              state.name().toLowerCase(Locale.ROOT),
              sent,
              count,
              done,
              failed,
              sent - done - failed,
              ended,
              text)
          .strip();
    }
  }

  GroupReplay(Selection selection, Order order, Failures failures, Audit audit) {
    this.selection = selection;
    this.order = order;
    this.failures = failures;
    this.audit = audit;
    this.progress = progress(State.RUNNING, "", null);
  }

  private Progress progress(State state, String text, @Nullable Instant ended) {
    double perSecond = gap > 0 ? SECOND / gap : 0;
    return new Progress(
        state, selection.ids().size(), sent, done, failed, perSecond, text, started, ended);
  }

  public String id() {
    return id;
  }

  public Selection selection() {
    return selection;
  }

  public Order order() {
    return order;
  }

  public Progress progress() {
    return progress;
  }

  public boolean isRunning() {
    return progress.state() == State.RUNNING;
  }

  /** Stops the replay. Messages already sent are still performed. */
  public void stop(String by) {
    stop(State.STOPPED, " by " + by);
  }

  /** Stops the replay, and does not wait for outcomes. */
  void close() {
    stop(State.STOPPED, ": the process stopped");
    closed = true;
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
      long end = Machine.nanos() + LONGEST_WAIT;
      awaitWhile(() -> sent > done + failed && Machine.nanos() < end);
    } catch (DecisionRefused | Unavailable e) {
      stop(State.FAILED, ": " + e.getMessage());
    } catch (RuntimeException | Error e) {
      log.error("Replay of {} ends early", selection.target(), e);
      stop(State.FAILED, " by an error; see the log");
    }
    Instant now = Machine.now().truncatedTo(ChronoUnit.SECONDS);
    Stop early = stop;
    progress =
        early == null
            ? progress(State.DONE, sent > 0 ? "" : NOTHING, now)
            : progress(
                early.state(),
                String.format(
                    Locale.ROOT,
                    "Stopped at %,d of %,d%s.",
                    sent,
                    selection.ids().size(),
                    early.why()),
                now);
    record();
  }

  private void sendAll() {
    long period = (long) (SECOND / order.perSecond());
    long due = Machine.nanos() + period;
    List<String> left = selection.ids();
    while (!left.isEmpty()) {
      long turn = due;
      awaitWhile(() -> stop == null && (Machine.nanos() < turn || room() <= 0));
      if (stop != null) {
        return;
      }
      int many = Math.min(Math.min(room(), SENT_AT_ONCE), left.size());
      int next = (int) Math.min(many, 1 + (Machine.nanos() - turn) / period);
      int tried = send(left.subList(0, next));
      left = left.subList(next, left.size());
      due = tried == 0 ? turn : Math.max(turn + tried * period, Machine.nanos() - SECOND);
    }
  }

  /** Reads outcomes meanwhile. */
  private void awaitWhile(BooleanSupplier condition) {
    readOutcomes();
    while (condition.getAsBoolean() && !closed) {
      Machine.park(LOOK);
      readOutcomes();
    }
  }

  /** How many more outcomes may be unknown. */
  private int room() {
    int mayFail = order.stopAfterFailures();
    return Math.max(mayFail, Math.min(mayFail + doneInARow, (int) order.perSecond()))
        - (sent - done - failed);
  }

  /** Sends those that nobody else replayed or discarded; returns how many. */
  private int send(List<String> messages) {
    List<ServiceFailures.Replayed> tried =
        failures.replay(
            selection.service(),
            messages,
            it -> it.state().isWaiting() && (order.often() || !it.needsAdmin()),
            order.actor().name());
    int before = sent;
    tried.forEach(this::add);
    if (sent > before) {
      long now = Machine.nanos();
      double each = (double) (now - lastSent) / (sent - before);
      double weight = gap > 0 ? Math.min(1, (sent - before) / (double) LAST) : 1;
      gap += lastSent == 0 ? 0 : weight * (each - gap);
      lastSent = now;
    }
    progress = progress(State.RUNNING, "", null);
    for (ServiceFailures.Replayed one : tried) {
      if (one.isUnknown()) {
        throw Objects.requireNonNull(one.failure());
      }
    }
    return tried.size();
  }

  private void add(ServiceFailures.Replayed tried) {
    switch (tried.failure()) {
      case null -> isSent(tried.id());
      case DecisionRefused e -> {
        if (++unsentInARow >= order.stopAfterFailures()) {
          String messages = RecordedCommand.messages(unsentInARow);
          stop(
              State.FAILED,
              ": %s in a row could not be sent: %s"
                  .formatted(messages, Formats.clause(String.valueOf(e.getMessage()))));
        }
      }
      case QueueRefused e -> stop(State.FAILED, ": " + e.getMessage());
      case RuntimeException _ -> sent++; // its outcome is unknown
    }
  }

  private void isSent(FailureId id) {
    sent++;
    pending.computeIfAbsent(id.partition(), _ -> new ArrayDeque<>()).add(id.text());
    unsentInARow = 0;
  }

  /** Counts the outcomes that are known, in each partition up to the first that is not. */
  private void readOutcomes() {
    Set<String> asked =
        pending.values().stream()
            .flatMap(it -> it.stream().limit(MOST_AT_ONCE))
            .collect(Collectors.toSet());
    if (asked.isEmpty()) {
      return;
    }
    Map<String, Failure> found =
        failures.find(selection.service(), List.copyOf(asked)).stream()
            .collect(Collectors.toMap(Failure::id, it -> it));
    for (Deque<String> ofPartition : pending.values()) {
      while (!ofPartition.isEmpty() && asked.contains(ofPartition.getFirst())) {
        Optional<Failure.Replay> replay =
            Optional.ofNullable(found.get(ofPartition.getFirst())).map(Failure::replay);
        if (replay.filter(it -> it.outcome() == Failure.Outcome.PENDING).isPresent()) {
          break;
        }
        ofPartition.removeFirst();
        add(replay.filter(it -> it.outcome() == Failure.Outcome.FAILED).isEmpty());
      }
    }
    progress = progress(State.RUNNING, "", null);
  }

  private void add(boolean isDone) {
    done += isDone ? 1 : 0;
    failed += isDone ? 0 : 1;
    doneInARow = isDone ? doneInARow + 1 : 0;
    failedInARow = isDone ? 0 : failedInARow + 1;
    if (failedInARow >= order.stopAfterFailures()) {
      String messages = RecordedCommand.messages(failedInARow);
      stop(State.FAILED, ": %s in a row failed again".formatted(messages));
    }
  }

  /** Records the result, also if the database of the audit responds again only later. */
  private void record() {
    Audit.Entry result =
        new Audit.Entry(
            order.actor(),
            "failures.replay.result",
            selection.target(),
            order.reason(),
            progress.words());
    while (true) {
      try {
        audit.record(result);
        return;
      } catch (Unavailable e) {
        if (closed) {
          log.warn(
              "The end of a replay of {} is not in the audit: {} ({})",
              result.target(),
              result.outcome(),
              e.getMessage());
          return;
        }
        log.warn("The end of a replay is not recorded yet, retrying every 2 s: {}", e.getMessage());
        Machine.park(RETRY);
      }
    }
  }
}
