/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.background.Outage;
import io.forebay.background.TailLoop;
import io.forebay.call.CallReader;
import io.forebay.call.UndecodableMessage;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueTrouble;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the application's beans with the answers of a service, in order, on one thread. It stores
 * its own progress, so that answers given while the application was down are delivered at the next
 * start. After a crash, the answers of the last second are delivered again, unless the progress is
 * stored by {@link AnswerTransactions}.
 */
public final class AnswerReceiver<O> implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(AnswerReceiver.class);
  private static final String CONSUMER = "answers";
  private static final int AT_ONCE = 1_000;

  private final MessageQueue out;
  private final List<CallReader<O>> readers;
  private final Path data;
  private final ServiceOptions options;
  private final TailLoop loop;
  private final @Nullable TransactedAnswers<O> transacted;

  /** Why the answers of a partition are not received; without an entry, they are. */
  private final Map<Integer, QueueTrouble> troubles = new ConcurrentHashMap<>();

  private final LongAdder skipped = new LongAdder();
  private @Nullable ReceivedPositions received;
  private @Nullable Subscription subscription;

  /**
   * @param data the directory that records which answers were received, without transactions
   * @param transactions null to deliver without
   */
  public AnswerReceiver(
      ServiceDefinition<?, O> definition,
      MessageQueue out,
      Path data,
      List<O> receivers,
      @Nullable AnswerTransactions transactions) {
    this.out = out;
    this.options = definition.options();
    this.readers =
        receivers.stream().map(it -> definition.answers().reader(out.name(), it)).toList();
    this.transacted =
        transactions == null
            ? null
            : new TransactedAnswers<>(out, readers, transactions, this::skip);
    this.data = data;
    this.loop =
        new TailLoop(
            "forebay-" + definition.name() + "-answers",
            out,
            new Answers(),
            options.idle().get(),
            new Outage(log, "Receiving answers of " + out.name(), "it is retried"));
  }

  public void start() {
    subscription = out.subscribe(CONSUMER, loop);
    loop.start();
  }

  /** Whether it has received every answer given so far. */
  public boolean hasReceivedAll() {
    return waiting().orElse(1) == 0;
  }

  /** How many answers a bean did not receive because it threw; since the start. */
  public long skipped() {
    return skipped.sum();
  }

  /** An upper bound of the answers that it has not received; empty if it is unknown. */
  public OptionalLong waiting() {
    long waiting = 0;
    for (int partition = 0; partition < out.partitions(); partition++) {
      OptionalLong end = out.stats(partition).end();
      if (end.isEmpty()) {
        return end;
      }
      waiting += Math.max(0, end.getAsLong() - out.passed(CONSUMER, partition).orElse(0));
    }
    return OptionalLong.of(waiting);
  }

  /** Since when it receives no answers of a partition, and why; the longest. */
  public Optional<QueueTrouble> trouble() {
    return troubles.entrySet().stream()
        .filter(it -> loop.isAssigned(it.getKey()))
        .map(Map.Entry::getValue)
        .min(Comparator.comparing(QueueTrouble::since));
  }

  private void troubled(int partition, QueueRefused.Reason reason, @Nullable String why) {
    troubles.compute(
        partition,
        (_, before) ->
            new QueueTrouble(
                reason,
                "answers of partition %d of %s are not received: %s"
                    .formatted(partition, out.name(), why),
                before == null ? Machine.now() : before.since()));
  }

  @Override
  public void close() {
    loop.close();
    if (subscription != null) {
      subscription.close();
    }
  }

  /** On the thread of the loop. */
  private final class Answers implements TailLoop.Reader {

    /**
     * Begins at the first answer not received. Another instance may have received more, or the host
     * may have lost received answers.
     */
    @Override
    public void open(Tailer tailer, long resume) {
      try {
        seek(tailer);
      } catch (QueueUnavailable | Error e) {
        troubled(tailer.partition(), QueueRefused.Reason.UNAVAILABLE, e.getMessage());
        throw e;
      }
    }

    /**
     * @throws QueueFailed if the queue lost answers that were received
     */
    private void seek(Tailer tailer) {
      int partition = tailer.partition();
      if (transacted != null && transacted.seekStored(tailer)) {
        return;
      }
      long passed = out.passed(CONSUMER, partition).orElse(0);
      long position = ReceivedPositions.in(out, tailer, Math.max(received().of(partition), passed));
      if (position > tailer.position()) {
        tailer.seek(position);
      }
    }

    @Override
    public int read(Tailer tailer) {
      int partition = tailer.partition();
      int count;
      try {
        count = transacted == null ? receive(tailer) : transacted.receive(tailer);
      } catch (QueueUnavailable | Error e) {
        troubled(partition, QueueRefused.Reason.UNAVAILABLE, e.getMessage());
        throw e;
      }
      troubles.remove(partition);
      if (count > 0 && subscription != null && loop.isAssigned(partition)) {
        subscription.passed(partition, tailer.position());
      }
      if (transacted == null) {
        received().saveNowAndThen();
      }
      return count;
    }

    @Override
    public void ended(@Nullable RuntimeException failure) {
      if (failure != null) {
        log.error(
            "Answers of {} cannot be read; none are received until the application is restarted",
            out.name(),
            failure);
        for (int partition = 0; partition < out.partitions(); partition++) {
          troubled(
              partition,
              QueueRefused.Reason.FAILED,
              failure.getMessage() + "; they are not read until the application is restarted");
        }
      }
      if (received != null) {
        received.save();
      }
    }
  }

  private ReceivedPositions received() {
    ReceivedPositions known = received;
    if (known == null) {
      known = new ReceivedPositions(data, out);
      received = known;
    }
    return known;
  }

  private int receive(Tailer tailer) {
    int partition = tailer.partition();
    int[] count = {0};
    try {
      tailer.poll(
          AT_ONCE,
          (position, message) -> {
            deliver(partition, position, message);
            count[0]++;
          });
    } catch (Closed e) {
      // unreceived answers are delivered again
    }
    if (count[0] > 0) {
      received().passed(partition, tailer.position());
    }
    return count[0];
  }

  /** An answer that the queue can still lose may be given again, as another one. */
  private void deliver(int partition, long position, ByteBuffer message) {
    out.awaitSafe(partition, position + 1);
    for (CallReader<O> reader : readers) {
      Duration pause = options.retryFrom();
      while (!delivered(reader, partition, position, message)) {
        if (loop.isClosed() || !loop.isAssigned(partition)) {
          throw new Closed();
        }
        Machine.park(pause.toNanos());
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(options.retryTo()) < 0 ? doubled : options.retryTo();
      }
    }
  }

  /** Calls a bean; returns false if it must be called again. */
  private boolean delivered(
      CallReader<O> reader, int partition, long position, ByteBuffer message) {
    try {
      reader.read(partition, position, message);
    } catch (Unavailable e) {
      troubled(partition, QueueRefused.Reason.UNAVAILABLE, e.getMessage());
      log.warn(
          "Answer not delivered (position={}, partition={}, queue={}): {}; retrying",
          position,
          partition,
          out.name(),
          e.getMessage());
      return false;
    } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
      skip(partition, position, e);
    }
    return true;
  }

  private void skip(int partition, long position, Throwable reason) {
    skipped.increment();
    if (reason instanceof UndecodableMessage) {
      log.error("Answer skipped: {}", reason.getMessage());
    } else {
      log.error(
          "Answer skipped because its bean threw (position={}, partition={}, queue={})",
          position,
          partition,
          out.name(),
          reason);
    }
  }

  private static final class Closed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Closed() {
      super(null, null, false, false);
    }
  }
}
