/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.background.Outage;
import io.forebay.background.TailerLoop;
import io.forebay.call.Message;
import io.forebay.call.PendingResult;
import io.forebay.call.PendingResults;
import io.forebay.call.Protocol;
import io.forebay.call.ResultUnknown;
import io.forebay.call.UndecodableMessage;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import io.forebay.text.Formats;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the results of calls: a thread reads the out-queue from its end and completes the
 * futures of this process. {@link #find} also finds results that arrived before. Thread-safe.
 *
 * @param <I> the protocol of the calls
 */
public final class ResultReceiver<I> implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ResultReceiver.class);
  private static final int AT_ONCE = 1_000;
  private static final int MOST_PENDING = 100_000;
  private static final Duration LONGEST_READ = Duration.ofSeconds(10);

  private static final Duration RETRY = Duration.ofSeconds(1);

  /** How far the clocks of the callers and of the service may differ. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(5);

  private static final int DATED = 7;

  private final MessageQueue out;
  private final Duration kept;
  private final PendingResults<I> pending;
  private final TailerLoop loop;
  private volatile boolean hasFailed;

  /**
   * Starts to read.
   *
   * @param kept how long the out-queue keeps answers
   */
  public ResultReceiver(Protocol<I> calls, MessageQueue out, Duration kept) {
    this.out = out;
    this.kept = kept;
    Results reading = new Results();
    this.pending = new PendingResults<>(calls, MOST_PENDING, this::mustReceive);
    this.loop =
        new TailerLoop(
            "forebay-" + out.name() + "-results",
            out,
            reading,
            Idle.backOff(TailerLoop.LONGEST_IDLE),
            new Outage(log, "Reading results of " + out.name(), "it is retried"));
    loop.startAll();
    loop.awaitBegun();
  }

  /** The calls that wait; for writers. */
  public PendingResults<I> pending() {
    return pending;
  }

  /**
   * Finds the result of a call that any process may have sent. The future is complete if the result
   * is in the out-queue; otherwise it completes when the result arrives. It fails with {@link
   * ResultUnknown} if the call is older than answers are kept and has no result there. It never
   * completes if there was no such call; limit the wait with {@link PendingResult#orTimeout}.
   *
   * <p>An id contains the time of its call, so this reads only the answers since then, on the
   * thread of the caller. The clocks of callers and of the service may differ by 5 minutes; a
   * result may not be found if one of them jumps further. The id of a call with an idempotency key
   * has no time, so all answers are read.
   *
   * @param type the class of the result
   * @throws QueueRefused if results cannot be received now
   * @throws io.forebay.queue.QueueUnavailable if the queue does not respond
   */
  public <R> PendingResult<R> find(UUID id, Class<R> type) {
    return Objects.requireNonNull(find(List.of(id), type).get(id));
  }

  /**
   * Finds the results of several calls; reads the answers since the earliest of them once.
   *
   * @param type the class of the results
   * @return the result of each call, in the order of the ids
   * @throws QueueRefused if results cannot be received now, or too many calls wait
   * @throws io.forebay.queue.QueueUnavailable if the queue does not respond
   */
  public <R> Map<UUID, PendingResult<R>> find(Collection<UUID> ids, Class<R> type) {
    Map<UUID, PendingResult<R>> results = new LinkedHashMap<>();
    try {
      // Registered first, so that no answer is missed between the search and the loop.
      ids.forEach(id -> results.computeIfAbsent(id, it -> pending.expect(it, type)));
      Instant first =
          results.keySet().stream()
              .map(ResultReceiver::sent)
              .min(Comparator.naturalOrder())
              .orElse(Instant.MAX);
      for (int i = 0; i < out.partitions() && !areDecided(results.values()); i++) {
        search(i, first.minus(CLOCKS_DIFFER), results.values());
      }
      results.forEach(this::settle);
      return results;
    } catch (RuntimeException | Error e) {
      results.values().forEach(it -> it.cancel(false));
      throw e;
    }
  }

  private static boolean areDecided(Collection<? extends PendingResult<?>> results) {
    return results.stream().allMatch(PendingResult::isDecided);
  }

  /** Waits until a decided result is complete; fails one that cannot come any more. */
  private void settle(UUID id, PendingResult<?> result) {
    Instant sent = sent(id);
    if (result.isDecided()) {
      awaitDone(result);
    } else if (id.version() == DATED
        && sent.isBefore(Machine.now().minus(kept).minus(CLOCKS_DIFFER))) {
      result.completeExceptionally(
          new ResultUnknown(
              "call %s of %s has no result in queue %s, which keeps answers for %s"
                  .formatted(id, sent, out.name(), Formats.duration(kept)),
              null));
    }
  }

  /** A thread of its own completes it now. */
  private static void awaitDone(PendingResult<?> result) {
    try {
      result.join();
    } catch (CancellationException | CompletionException e) {
      // the caller sees it
    }
  }

  /** The time in an id that was not made from an idempotency key, otherwise 1970. */
  private static Instant sent(UUID id) {
    return id.version() == DATED
        ? Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16)
        : Instant.EPOCH;
  }

  /** Reads the answers of a partition from a time on, until all results are found. */
  private void search(int partition, Instant from, Collection<? extends PendingResult<?>> results) {
    MessageHandler handler = handler(partition);
    try (Tailer tailer = out.tailer(partition)) {
      long end = tailer.readableEnd();
      boolean begun = false;
      while (!areDecided(results) && (!begun || tailer.position() < end)) {
        try {
          if (!begun) {
            tailer.search(
                end,
                LONGEST_READ,
                (position, message) -> isBefore(from, partition, position, message));
            begun = true;
          }
          if (tailer.poll(AT_ONCE, handler) == 0) {
            tailer.pollBefore(end, LONGEST_READ, handler);
          }
        } catch (PositionOutOfRange e) {
          tailer.toStart(); // retention deleted answers meanwhile
          end = Math.max(end, tailer.position());
        }
      }
    }
  }

  /** Whether an answer was given before a time; not if it cannot be read. */
  private boolean isBefore(Instant time, int partition, long position, ByteBuffer answer) {
    try {
      return Message.peek(out.name(), partition, position, answer).appendTime().isBefore(time);
    } catch (UndecodableMessage e) {
      return false;
    }
  }

  /** Passes answers to the calls that wait for them; for one thread. */
  private MessageHandler handler(int partition) {
    MessageHandler handler =
        pending.handler(
            out.name(),
            partition,
            // a lost one may be given again, as another one
            position -> out.awaitSafe(partition, position + 1));
    return (position, message) -> {
      try {
        handler.handle(position, message);
      } catch (UndecodableMessage e) {
        log.warn("{}; the next result follows", e.getMessage());
      }
    };
  }

  /** A call whose result nobody could read must not be sent. */
  private void mustReceive() {
    if (loop.awaitReading(Duration.ZERO)) {
      return;
    }
    if (!loop.isClosed()) {
      throw new QueueRefused(
          QueueRefused.Reason.UNAVAILABLE,
          Double.NaN,
          RETRY,
          "results of %s cannot be read yet; nothing was sent, retry later".formatted(out.name()));
    }
    throw new QueueRefused(
        hasFailed ? QueueRefused.Reason.FAILED : QueueRefused.Reason.CLOSED,
        "the service was stopped and no longer receives results of %s; nothing was sent"
            .formatted(out.name()));
  }

  /** Stops to receive; futures that wait fail with {@link ResultUnknown}. */
  @Override
  public void close() {
    loop.close();
  }

  /** On the thread of the loop. */
  private final class Results implements TailerLoop.Reader {

    private final MessageHandler[] handlers = new MessageHandler[out.partitions()];

    @Override
    public void open(Tailer tailer, long resume) {
      handlers[tailer.partition()] = handler(tailer.partition());
      if (resume < 0) {
        tailer.toEnd();
      } else {
        tailer.seek(resume);
      }
    }

    @Override
    public int read(Tailer tailer) {
      return tailer.poll(AT_ONCE, handlers[tailer.partition()]);
    }

    @Override
    public void missed(int partition) {
      pending.failIn(partition, unknown("answers were deleted before they were read", null));
    }

    @Override
    public void ended(@Nullable RuntimeException failure) {
      if (failure != null) {
        hasFailed = true;
        log.error(
            "Results of {} cannot be read; calls with a result are refused until the application is restarted",
            out.name(),
            failure);
      }
      pending.failAll(
          unknown(failure == null ? "this service was closed" : "results cannot be read", failure));
    }

    private ResultUnknown unknown(String why, @Nullable Throwable cause) {
      return new ResultUnknown(
          "%s (queue=%s); ask for the result by the id of the call".formatted(why, out.name()),
          cause);
    }
  }
}
