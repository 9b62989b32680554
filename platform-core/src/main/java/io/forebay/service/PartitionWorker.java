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
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
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
 * <p>Only {@link #turn} and what it calls runs per message. The benchmark {@code burst} guards it.
 */
final class PartitionWorker<I, O> implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(PartitionWorker.class);

  private final Service<I, O> service;
  private final MessageQueue in;
  private final int partition;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final long[] acceptedMicros;
  private volatile boolean stopping;
  private volatile ServiceState state = Service.state(ServiceState.Phase.STARTING, "");
  private volatile long answeredPosition = -1;

  private Tailer tailer;
  private Output<O> answers;
  private CallReader<I> reader;
  private I component;
  private @Nullable BatchAware batchAware;
  private int inBatch;
  private long safePosition;
  private long markedPosition;
  private long markedTicket;

  @SuppressWarnings("NullAway.Init") // the fields of the thread are set by open(), its first step
  PartitionWorker(Service<I, O> service, int partition) {
    this.service = service;
    this.in = service.in().queue();
    this.partition = partition;
    this.acceptedMicros = new long[service.options().maxBatch()];
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

  void wake() {
    LockSupport.unpark(thread);
  }

  /**
   * Waits for the end of the thread; not interruptible, since a revoked partition must be let go.
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

  boolean awaitEnd(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  ServiceState state() {
    return state;
  }

  long answeredPosition() {
    return answeredPosition;
  }

  @Override
  public void run() {
    try (Tailer ownTailer = in.tailer(partition);
        Output<O> ownAnswers = service.out().protocol().output(service.out().queue())) {
      tailer = ownTailer;
      answers = ownAnswers;
      open();
      work();
    } catch (Stopped e) {
      enter(ServiceState.Phase.STOPPED, "");
    } catch (Fenced e) {
      log.warn("{}; this instance no longer works on it", e.getMessage());
      enter(ServiceState.Phase.FENCED, String.valueOf(e.getMessage()));
    } catch (Throwable e) {
      fail(e);
    } finally {
      close();
      ended.countDown();
    }
  }

  private void open() {
    component = untilAvailable(() -> service.factory().create(partition, answers.calls()));
    batchAware = component instanceof BatchAware aware ? aware : null;
    reader = service.in().protocol().reader(in.name(), component);
    Comparison comparison =
        new Comparison(
            place(),
            in,
            service.out().queue().name(),
            tailer,
            LastAnswer.position(service.out().queue(), partition));
    Resumable.Progress progress = progress(comparison);
    comparison.mustAgree(progress);
    tailer.seek(progress.readFrom());
    answeredPosition = progress.readFrom();
    safePosition = progress.readFrom();
    markedPosition = safePosition;
    enter(ServiceState.Phase.RUNNING, "");
  }

  private Resumable.Progress progress(Comparison comparison) {
    if (component instanceof Resumable resumable) {
      Resumable.Start start =
          new Resumable.Start(
              partition, in.identity(), tailer.position(), comparison.lastAnswered());
      return untilAvailable(() -> resumable.resume(start));
    }
    return comparison.progressOfAnswers();
  }

  private void work() {
    Idle idle = service.options().idle().get();
    int idleTurns = 0;
    while (!stopping) {
      if (service.pauseReason() != null) {
        rest();
      } else if (service.draining() && state.phase() == ServiceState.Phase.RUNNING) {
        enter(ServiceState.Phase.DRAINING, "");
      }
      if (turn() > 0) {
        idleTurns = 0;
      } else if (service.draining()
          && tailer.position() >= Comparison.end(in, tailer)
          && !stopping) {
        drained();
        return;
      } else {
        idle.idle(++idleTurns, tailer);
      }
    }
    throw new Stopped();
  }

  private void rest() {
    String reason;
    while ((reason = service.pauseReason()) != null && !stopping) {
      if (state.phase() != ServiceState.Phase.PAUSED) {
        enter(ServiceState.Phase.PAUSED, reason);
      }
      LockSupport.parkNanos(100_000_000);
      rememberSafe();
    }
    enter(service.draining() ? ServiceState.Phase.DRAINING : ServiceState.Phase.RUNNING, "");
  }

  private void drained() {
    untilAvailable(answers::flush);
    while (safePosition < answeredPosition) {
      if (stopping) {
        throw new Stopped();
      }
      LockSupport.parkNanos(1_000_000);
      rememberSafe();
    }
    if (component instanceof Resumable resumable) {
      untilAvailable(resumable::drained);
    }
    enter(ServiceState.Phase.DRAINED, "");
  }

  /** One batch; returns how many messages it held. */
  private int turn() {
    inBatch = 0;
    int count = tailer.poll(acceptedMicros.length, this::call);
    if (count > 0) {
      long read = nowMicros();
      long to = tailer.position();
      BatchAware batch = batchAware;
      if (batch != null) {
        untilAvailable(() -> batch.endBatch(to));
      }
      long performed = nowMicros();
      CrashPoint.hit("before-answers");
      if (batch != null) {
        untilAvailable(batch::answerBatch);
      }
      untilAvailable(answers::flush);
      Message.clear();
      CrashPoint.hit("after-answers");
      answeredPosition = to;
      service
          .latency()
          .record(acceptedMicros, inBatch, new Latency.Times(read, performed, nowMicros()));
    }
    rememberSafe();
    return count;
  }

  private void call(long position, ByteBuffer message) {
    if (inBatch == 0 && batchAware != null) {
      batchAware.beginBatch(partition, position);
    }
    Message envelope;
    try {
      envelope = reader.read(partition, position, message);
    } catch (UndecodableMessage e) {
      envelope = deadLetter(position, message, e);
    }
    acceptedMicros[inBatch++] = envelope == null ? nowMicros() : envelope.appendMicros();
    if (batchAware == null && envelope != null) {
      answerAtOnce(envelope);
    }
  }

  /** A component whose progress is the out-queue leaves a frame there for each message. */
  private void answerAtOnce(Message message) {
    untilAvailable(() -> answers.empty(message));
  }

  private @Nullable Message deadLetter(
      long position, ByteBuffer message, UndecodableMessage reason) {
    log.error("dead letter: {}; the service goes on with the next message", reason.getMessage());
    if (component instanceof DeadLetters letters) {
      letters.deadLetter(partition, position, message, reason);
    }
    return reason.envelope();
  }

  /** Tells queue and component up to where the answers can no longer be lost. */
  private void rememberSafe() {
    if (markedPosition == safePosition && answeredPosition > safePosition) {
      markedPosition = answeredPosition;
      markedTicket = answers.lastTicket();
    }
    if (markedPosition > safePosition && answers.acknowledged() >= markedTicket) {
      safePosition = markedPosition;
      service.passed(partition, safePosition);
      if (component instanceof Resumable resumable) {
        resumable.answered(safePosition);
      }
    }
  }

  private void untilAvailable(Runnable step) {
    untilAvailable(() -> {
      step.run();
      return true;
    });
  }

  /** Takes the step, again and again with growing pauses while what it needs is not there. */
  private <R> R untilAvailable(Supplier<R> step) {
    ServiceState before = null;
    Duration pause = service.options().retryFrom();
    while (true) {
      try {
        R result = step.get();
        if (before != null) {
          log.info("{} goes on after {}", place(), state);
          enter(before.phase(), before.reason());
        }
        return result;
      } catch (Unavailable | QueueRefused e) {
        if (e instanceof QueueRefused refused && refused.retryAfter().isZero() && !stopping) {
          throw e;
        }
        if (before == null) {
          before = state;
          log.warn("{} waits: {}; it tries again by itself", place(), e.getMessage());
        }
        enter(ServiceState.Phase.WAITING, String.valueOf(e.getMessage()));
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
        "%s failed (position=%,d): %s; nothing further is performed until an operator acts"
            .formatted(place(), tailer == null ? -1 : tailer.position(), cause);
    log.error(reason, cause);
    state = new ServiceState(ServiceState.Phase.FAILED, reason, Instant.now(), cause);
  }

  private void close() {
    Message.clear();
    if (component instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        log.warn("{}: the component could not be closed", place(), e);
      }
    }
  }

  private String place() {
    return "partition " + partition + " of service " + service.name() + " on queue " + in.name();
  }

  private void enter(ServiceState.Phase phase, String reason) {
    state = Service.state(phase, reason);
  }

  /** Ends the thread from wherever it waits. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stopped() {
      super(null, null, false, false);
    }
  }
}
