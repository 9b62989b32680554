/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.UndecodableMessage;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueFenced;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.progress.AnsweredProgress;
import io.forebay.service.progress.Checksum;
import io.forebay.service.progress.Comparison;
import io.forebay.service.progress.Disagreement;
import io.forebay.service.progress.LastMessage;
import io.forebay.service.progress.Resumable;
import io.forebay.service.progress.SafeAnswers;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of one partition: read, call, write, remember.
 *
 * <p>Only {@link #turn} and the methods that it calls run per message. The benchmark {@code burst}
 * guards them.
 */
final class PartitionWorker<I, O> implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(PartitionWorker.class);

  private final Service<I, O> service;
  private final MessageQueue in;
  private final int partition;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch compared = new CountDownLatch(1);
  private final long[] acceptedMicros;
  private volatile boolean stopping;
  private volatile boolean lost;
  private final Standing standing;
  private final Workload workload = new Workload();
  private volatile long answeredPosition = -1;

  private Tailer tailer;
  private Output<O> answers;
  private CallReader<I> reader;
  private I component;
  private @Nullable BatchAware batchAware;
  private @Nullable Resumable resumable;
  private final Checksum checksum = new Checksum();
  private final AnsweredProgress answered;
  private int inBatch;
  private long lastInBatch;
  private long checksumOfLast;
  private long bytesInBatch;
  private SafeAnswers safe;

  @SuppressWarnings("NullAway.Init") // the fields of the thread are set by open(), its first step
  PartitionWorker(Service<I, O> service, int partition) {
    this.service = service;
    this.in = service.in().queue();
    this.partition = partition;
    this.acceptedMicros = new long[service.options().maxBatch()];
    this.answered =
        new AnsweredProgress(
            service.name(),
            partition,
            service.in().queue(),
            service.out().queue(),
            service.remembered());
    this.standing = new Standing(place());
    this.thread =
        Thread.ofPlatform()
            .name("forebay-" + service.name() + "-" + partition)
            .daemon()
            .unstarted(this);
  }

  void start() {
    thread.start();
  }

  void stop() {
    stopping = true;
    wake();
  }

  /**
   * Ends the worker because another instance works on the partition, or soon will; it has not
   * waited for this one.
   */
  void lose() {
    lost = true;
    stop();
  }

  void wake() {
    LockSupport.unpark(thread);
  }

  /**
   * Waits for the end of the thread; not interruptible, because a revoked partition must be
   * released.
   */
  void join() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits until the partition has been compared with its progress, or until the comparison has to
   * wait for an unavailable resource.
   */
  boolean awaitCompared(Duration timeout) throws InterruptedException {
    return compared.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  boolean awaitEnd(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  Standing standing() {
    return standing;
  }

  /** The state as shown to others; includes a reason if the current batch does not end. */
  ServiceState state() {
    return standing.state(workload.inHand());
  }

  long answeredPosition() {
    return answeredPosition;
  }

  Workload workload() {
    return workload;
  }

  @Override
  public void run() {
    try {
      Duration pause = service.options().retryFrom();
      while (true) {
        try {
          serve();
          return;
        } catch (QueueUnavailable | PositionOutOfRange e) {
          // Its tailer and appender are no longer usable, or the queue has lost messages: start
          // over, with the comparison.
          compared.countDown();
          standing.await(e);
          sleep(pause);
          pause = min(pause.multipliedBy(2), service.options().retryTo());
        } catch (Fenced | QueueFenced e) {
          standing.fenced(e);
          if (!in.shared()) {
            return;
          }
          // The new owner stops this worker within that time. If it was a straggler that has gone,
          // nobody else would, so this worker retries.
          sleep(service.options().retryTo());
          if (stopping) {
            return;
          }
        }
        if (stopping) {
          throw new Stopped();
        }
      }
    } catch (Stopped e) {
      rememberStop();
      if (lost) {
        standing.fenced(
            new Fenced(
                place()
                    + " was reassigned to another instance because this one was not responding"));
      } else {
        standing.enter(ServiceState.Phase.STOPPED, "");
      }
    } catch (Throwable e) {
      fail(e);
    } finally {
      compared.countDown();
      ended.countDown();
    }
  }

  private void serve() {
    try (Tailer ownTailer = in.tailer(partition);
        Output<O> ownAnswers = service.out().protocol().output(service.out().queue(), partition)) {
      tailer = ownTailer;
      answers = ownAnswers;
      open();
      work();
    } finally {
      workload.end();
      close();
    }
  }

  private void open() {
    component = untilAvailable(() -> service.factory().create(partition, answers.calls()));
    batchAware = component instanceof BatchAware aware ? aware : null;
    resumable = component instanceof Resumable keeping ? keeping : null;
    reader = service.in().protocol().reader(in.name(), component);
    Resumable.Progress progress = compare();
    compared.countDown();
    tailer.seek(progress.readFrom());
    answeredPosition = progress.readFrom();
    safe =
        new SafeAnswers(
            answers, resumable, position -> service.passed(partition, position), answeredPosition);
    if (in.shared()) {
      service.passed(partition, answeredPosition); // other instances read it there
    }
    standing.enter(ServiceState.Phase.RUNNING, "");
  }

  /**
   * Compares the queues with the progress. Until then, appends may reuse performed positions; the
   * queue remembers from which position on.
   */
  private Resumable.Progress compare() {
    Comparison comparison =
        new Comparison(
            place(),
            in,
            service.name(),
            service.out().queue().name(),
            tailer,
            LastMessage.source(service.out().queue(), partition));
    long first = tailer.position();
    Resumable.Progress progress = progress(comparison);
    comparison.mustAgree(progress, first);
    if (resumable == null) {
      untilAvailable(() -> answered.agreed(progress.next()));
    }
    in.agreed(partition);
    return progress;
  }

  private Resumable.Progress progress(Comparison comparison) {
    Resumable keeping = resumable;
    if (keeping == null) {
      return untilAvailable(() -> answered.resume(comparison));
    }
    Resumable.Start start =
        new Resumable.Start(
            partition,
            in.partitions(),
            in.identity(),
            tailer.position(),
            comparison.passed(),
            comparison.lastAnswered());
    return untilAvailable(() -> keeping.resume(start));
  }

  private void work() {
    Idle idle = service.options().idle().get();
    int idleTurns = 0;
    while (!stopping) {
      if (service.rest() != null) {
        rest();
        continue; // a stop may have ended the pause; then nothing more may be performed
      } else if (service.draining()) {
        standing.enter(ServiceState.Phase.DRAINING, "");
      }
      if (turn() > 0) {
        idleTurns = 0;
      } else if (service.draining() && tailer.position() >= tailer.end() && !stopping) {
        drained();
        return;
      } else {
        safe.keepWhenIdle();
        rememberIdle();
        idle.idle(++idleTurns, tailer);
      }
    }
    throw new Stopped();
  }

  private void rememberIdle() {
    if (resumable == null) {
      answered.idle(safe.position());
    }
  }

  private void rememberStop() {
    if (!lost && resumable == null && answeredPosition >= 0) {
      answered.stopped(safe.position());
    }
  }

  private void rest() {
    Service.Rest rest;
    while ((rest = service.rest()) != null && !stopping) {
      standing.enter(rest.phase(), rest.reason());
      LockSupport.parkNanos(100_000_000);
      rememberSafe();
    }
    if (!stopping) {
      standing.enter(
          service.draining() ? ServiceState.Phase.DRAINING : ServiceState.Phase.RUNNING, "");
    }
  }

  private void drained() {
    untilAvailable(answers::publish);
    while (safe.position() < answeredPosition) {
      if (stopping) {
        throw new Stopped();
      }
      LockSupport.parkNanos(1_000_000);
      rememberSafe();
    }
    Resumable keeping = resumable;
    if (keeping != null) {
      untilAvailable(keeping::drained);
    } else {
      untilAvailable(() -> answered.drained(safe.position()));
    }
    standing.enter(ServiceState.Phase.DRAINED, "");
  }

  /** Performs one batch and returns the number of its messages. */
  private int turn() {
    int count = read();
    if (count > 0) {
      long read = nowMicros();
      long to = tailer.position();
      BatchAware batch = batchAware;
      if (batch != null) {
        if (resumable != null) {
          resumable.endsWith(new Resumable.LastPerformed(lastInBatch, checksumOfLast));
        }
        untilAvailable(() -> batch.endBatch(to));
      }
      long performed = nowMicros();
      CrashPoint.hit("before-answers");
      if (batch != null) {
        untilAvailable(batch::answerBatch);
      }
      untilAvailable(answers::publish);
      Message.clear();
      CrashPoint.hit("after-answers");
      answeredPosition = to;
      service.performed(inBatch);
      service
          .latency()
          .record(acceptedMicros, inBatch, new Latency.Times(read, performed, nowMicros()));
      workload.end();
    } else {
      // Positions may have gaps, also behind the last message; no message waits there.
      answeredPosition = Math.max(answeredPosition, tailer.position());
    }
    rememberSafe();
    return count;
  }

  /** Passes messages to the component until none is left or the batch is full; returns how many. */
  private int read() {
    inBatch = 0;
    bytesInBatch = 0;
    int most = acceptedMicros.length;
    try {
      tailer.poll(resumable == null ? most : resumable.atMost(most), this::call);
    } catch (BatchFull e) {
      // the message that did not fit is the first of the next batch
    }
    return inBatch;
  }

  private void call(long position, ByteBuffer message) {
    bytesInBatch += message.remaining();
    if (inBatch > 0 && bytesInBatch > service.options().maxBatchBytes()) {
      throw BatchFull.INSTANCE;
    }
    if (inBatch == 0) {
      workload.begin();
      if (batchAware != null) {
        batchAware.beginBatch(partition, position);
      }
    }
    lastInBatch = position;
    if (resumable != null) {
      checksumOfLast = checksum.of(message);
    } else {
      in.awaitSafe(partition, position + 1);
    }
    Message envelope;
    try {
      envelope = reader.read(partition, position, message);
    } catch (UndecodableMessage e) {
      envelope = deadLetter(position, message, e);
    }
    long accepted = envelope == null ? nowMicros() : envelope.appendMicros();
    if (inBatch == 0) {
      workload.head(answeredPosition, accepted);
    }
    acceptedMicros[inBatch++] = accepted;
    if (batchAware == null && envelope != null) {
      answerAtOnce(envelope);
    }
  }

  /** A component whose progress is the out-queue must append a frame for each message. */
  private void answerAtOnce(Message message) {
    untilAvailable(() -> answers.empty(message));
  }

  private @Nullable Message deadLetter(
      long position, ByteBuffer message, UndecodableMessage reason) {
    log.error("Dead letter: {}; the service continues with the next message", reason.getMessage());
    service.deadLettered();
    if (component instanceof DeadLetters letters) {
      letters.deadLetter(partition, position, message, reason);
    }
    return reason.envelope();
  }

  private void rememberSafe() {
    if (safe.position() < answeredPosition) {
      untilAvailable(answers::publish); // publishing in the background may have failed
    }
    safe.remember(answeredPosition);
  }

  private void untilAvailable(Runnable step) {
    untilAvailable(() -> {
      step.run();
      return true;
    });
  }

  /**
   * Runs a step and retries it with growing pauses while something that it needs is unavailable.
   */
  private <R> R untilAvailable(Supplier<R> step) {
    ServiceState before = null;
    boolean worked = false;
    Duration pause = service.options().retryFrom();
    while (true) {
      try {
        R result = step.get();
        if (before != null) {
          standing.enter(before.phase(), before.reason());
        }
        if (worked) {
          workload.begin();
        }
        return result;
      } catch (Unavailable | QueueRefused e) {
        if (e instanceof QueueRefused refused && refused.retryAfter().isZero() && !stopping) {
          throw e;
        }
        if (before == null) {
          before = standing.state();
          worked = workload.end();
          compared.countDown();
        }
        standing.await(e);
        sleep(pause);
        pause = min(pause.multipliedBy(2), service.options().retryTo());
      }
      if (stopping) {
        throw new Stopped();
      }
    }
  }

  private void sleep(Duration pause) {
    long until = System.nanoTime() + pause.toNanos();
    long left;
    while (!stopping && (left = until - System.nanoTime()) > 0) {
      LockSupport.parkNanos(left);
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static long nowMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  private void fail(Throwable cause) {
    String reason =
        "%s failed (position=%,d): %s; it performs nothing more until an operator acts"
            .formatted(place(), readUpTo(), cause);
    in.refuse(
        partition,
        cause instanceof QueueFailed || cause instanceof Disagreement
            ? String.valueOf(cause.getMessage())
            : place() + " failed (the log has the cause); an operator must act");
    standing.fail(reason, cause);
  }

  /**
   * The position of the tailer, or the answered position if the tailer is closed and no longer
   * returns its own.
   */
  private long readUpTo() {
    try {
      return tailer == null ? -1 : tailer.position();
    } catch (IllegalStateException e) {
      return answeredPosition;
    }
  }

  private void close() {
    Message.clear();
    if (component instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        log.warn("Component of {} could not be closed", place(), e);
      }
    }
  }

  private String place() {
    return "partition " + partition + " of service " + service.name() + " on queue " + in.name();
  }

  /** Thrown for the message that would make the batch too large; the message counts as unread. */
  private static final class BatchFull extends RuntimeException {
    private static final long serialVersionUID = 1;
    static final BatchFull INSTANCE = new BatchFull();

    private BatchFull() {
      super(null, null, false, false);
    }
  }

  /** Ends the thread wherever it waits. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stopped() {
      super(null, null, false, false);
    }
  }
}
