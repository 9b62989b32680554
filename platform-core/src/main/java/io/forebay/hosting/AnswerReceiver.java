/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the application's beans with the answers of a service, in order, on one thread. It stores
 * its own progress, so that answers given while the application was down are delivered at the next
 * start. After a crash, the answers of the last second are delivered again.
 */
public final class AnswerReceiver<O> implements PartitionListener, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(AnswerReceiver.class);
  private static final String CONSUMER = "answers";
  private static final int AT_ONCE = 1_000;

  private final MessageQueue out;
  private final List<CallReader<O>> readers;
  private final Path data;
  private final ServiceOptions options;
  private final Thread thread;
  private final Set<Integer> assigned = ConcurrentHashMap.newKeySet();
  private final Map<Integer, CountDownLatch> revoked = new ConcurrentHashMap<>();
  private @Nullable Subscription subscription;
  private volatile boolean closed;

  public AnswerReceiver(
      ServiceDefinition<?, O> definition, MessageQueue out, Path data, List<O> receivers) {
    this.out = out;
    this.options = definition.options();
    this.readers =
        receivers.stream().map(it -> definition.answers().reader(out.name(), it)).toList();
    this.data = data;
    this.thread =
        Thread.ofPlatform()
            .name("forebay-" + definition.name() + "-answers")
            .daemon()
            .unstarted(this::run);
  }

  public void start() {
    subscription = out.subscribe(CONSUMER, this);
    thread.start();
  }

  @Override
  public void assigned(int partition) {
    assigned.add(partition);
  }

  @Override
  public void revoked(int partition) {
    if (assigned.remove(partition)) {
      CountDownLatch done = revoked.computeIfAbsent(partition, _ -> new CountDownLatch(1));
      LockSupport.unpark(thread);
      try {
        while (thread.isAlive() && !done.await(100, TimeUnit.MILLISECONDS)) {
          // it may already have ended
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void lost(int partition) {
    assigned.remove(partition);
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (subscription != null) {
      subscription.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closed) {
        try {
          serve();
        } catch (QueueUnavailable e) {
          log.warn("Answers of {} cannot be received: {}; retrying", out.name(), e.getMessage());
          LockSupport.parkNanos(options.retryTo().toNanos());
        } catch (Error e) {
          log.error(
              "Answers of {} not received because of an error; next attempt in {}",
              out.name(),
              options.retryTo(),
              e);
          LockSupport.parkNanos(options.retryTo().toNanos());
        }
      }
    } catch (RuntimeException e) {
      log.error(
          "Answers of {} cannot be read; none are received until the application is restarted",
          out.name(),
          e);
    } finally {
      Message.clear();
      closed = true;
    }
  }

  private void serve() {
    ReceivedPositions received = new ReceivedPositions(data, out);
    Map<Integer, Tailer> tailers = new HashMap<>();
    Idle idle = options.idle().get();
    int idleTurns = 0;
    try {
      while (!closed) {
        followAssignments(tailers, received);
        int count = 0;
        for (Tailer tailer : tailers.values()) {
          count += receive(tailer, received);
        }
        received.saveNowAndThen();
        idleTurns = count > 0 ? 0 : idleTurns + 1;
        if (tailers.isEmpty()) {
          LockSupport.parkNanos(10_000_000);
        } else if (idleTurns > 0) {
          idle.idle(idleTurns, tailers.values().iterator().next());
        }
      }
    } finally {
      received.save();
      tailers.values().forEach(Tailer::close);
    }
  }

  private void followAssignments(Map<Integer, Tailer> tailers, ReceivedPositions received) {
    for (Tailer tailer : List.copyOf(tailers.values())) {
      if (!assigned.contains(tailer.partition())) {
        tailer.close();
        tailers.remove(tailer.partition());
      }
    }
    for (int partition : revoked.keySet()) {
      CountDownLatch done = tailers.containsKey(partition) ? null : revoked.remove(partition);
      if (done != null) {
        done.countDown();
      }
    }
    for (int partition : assigned) {
      tailers.computeIfAbsent(partition, it -> open(it, received));
    }
  }

  /**
   * Opens a tailer at the first answer not received. Another instance may have received more, or
   * the host may have lost received answers.
   */
  private Tailer open(int partition, ReceivedPositions received) {
    Tailer tailer = out.tailer(partition);
    long passed = out.passed(CONSUMER, partition).orElse(0);
    long position = Math.min(Math.max(received.of(partition), passed), tailer.end());
    if (position > tailer.position()) {
      try {
        tailer.seek(position);
      } catch (PositionOutOfRange e) {
        missed(tailer, e);
      }
    }
    return tailer;
  }

  private static void missed(Tailer tailer, PositionOutOfRange reason) {
    log.error(
        "Answers were deleted before they were received ({}); partition {} resumes"
            + " at the first answer kept",
        reason.getMessage(),
        tailer.partition());
    tailer.toStart();
  }

  private int receive(Tailer tailer, ReceivedPositions received) {
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
    } catch (PositionOutOfRange e) {
      missed(tailer, e);
    }
    if (count[0] > 0) {
      received.passed(partition, tailer.position());
      if (subscription != null && assigned.contains(partition)) {
        subscription.passed(partition, tailer.position());
      }
    }
    return count[0];
  }

  private void deliver(int partition, long position, ByteBuffer message) {
    for (CallReader<O> reader : readers) {
      Duration pause = options.retryFrom();
      while (!delivered(reader, partition, position, message)) {
        if (closed) {
          throw new Closed();
        }
        LockSupport.parkNanos(pause.toNanos());
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
      log.warn(
          "Answer not delivered (position={}, partition={}, queue={}): {}; retrying",
          position,
          partition,
          out.name(),
          e.getMessage());
      return false;
    } catch (UndecodableMessage e) {
      log.error("Answer skipped: {}", e.getMessage());
    } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
      log.error(
          "Answer skipped because its bean threw (position={}, partition={}, queue={})",
          position,
          partition,
          out.name(),
          e);
    }
    return true;
  }

  private static final class Closed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Closed() {
      super(null, null, false, false);
    }
  }
}
