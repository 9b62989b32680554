/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.background.Outage;
import io.forebay.background.TailerLoop;
import io.forebay.call.CallReader;
import io.forebay.call.UndecodableMessage;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import java.nio.file.Path;
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

  private final MessageQueue out;
  private final ReceivedPositions file;
  private final AnswerDelivery<O> delivery;
  private final TailerLoop loop;

  /** Why the answers of a partition are not received; without an entry, they are. */
  private final Map<Integer, QueueOutage> outages = new ConcurrentHashMap<>();

  private final LongAdder skipped = new LongAdder();
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
    this.file = new ReceivedPositions(data, out, CONSUMER);
    List<CallReader<O>> readers =
        receivers.stream().map(it -> definition.answers().reader(out.name(), it)).toList();
    this.delivery = new AnswerDelivery<>(out, readers, file, transactions, this::skip);
    this.loop =
        new TailerLoop(
            "forebay-" + definition.name() + "-answers",
            out,
            new Answers(),
            definition.options().idle().get(),
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

  /** The partition that has been without answers longest, with the reason. */
  public Optional<QueueOutage> outage() {
    return outages.entrySet().stream()
        .filter(it -> loop.isAssigned(it.getKey()))
        .map(Map.Entry::getValue)
        .min(Comparator.comparing(QueueOutage::since));
  }

  private void troubled(int partition, QueueRefused.Reason reason, @Nullable String why) {
    outages.compute(
        partition,
        (_, before) ->
            new QueueOutage(
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
  private final class Answers implements TailerLoop.Reader {

    /** Begins at the first answer not received. */
    @Override
    public void open(Tailer tailer, long resume) {
      try {
        delivery.seek(tailer);
      } catch (QueueUnavailable | Error e) {
        troubled(tailer.partition(), QueueRefused.Reason.UNAVAILABLE, e.getMessage());
        throw e;
      }
    }

    @Override
    public int read(Tailer tailer) {
      int partition = tailer.partition();
      int count;
      try {
        count = delivery.receive(tailer);
      } catch (QueueUnavailable | Error e) {
        troubled(partition, QueueRefused.Reason.UNAVAILABLE, e.getMessage());
        throw e;
      }
      outages.remove(partition);
      if (count > 0 && subscription != null && loop.isAssigned(partition)) {
        subscription.passed(partition, tailer.position());
      }
      file.saveNowAndThen();
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
      file.save();
    }
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
}
