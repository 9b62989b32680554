/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.Protocol;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.service.progress.Adoption;
import io.forebay.service.progress.AnsweredProgress;
import io.forebay.service.progress.CommittedProgress;
import io.forebay.service.progress.Comparison;
import io.forebay.service.progress.LastMessage;
import io.forebay.service.progress.PartitionProgress;
import io.forebay.service.progress.Resumable;
import io.forebay.service.progress.SafeAnswers;
import io.forebay.service.progress.StoredProgress;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work on one partition in steps: {@link #open} compares the queues with the progress, then
 * each {@link #step} reads, calls, writes and remembers one batch. {@link PartitionWorker} repeats
 * the steps; a test can make them one by one. For one thread, except {@link #answeredPosition} and
 * {@link #safePosition}.
 */
final class PartitionLoop<I, O> implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PartitionLoop.class);
  private static final long REST_NANOS = 100_000_000;
  private static final long FORCE_NANOS = 1_000_000;

  /** A service without messages commits its offset after this time. */
  private static final long IDLE_NANOS = 1_000_000_000;

  private final ServiceParts<I, O> parts;
  private final MessageQueue in;
  private final int partition;
  private final Standing standing;
  private final Workload workload;
  private final Waits waits;
  private final PartitionProgress answered;
  private volatile long answeredPosition = -1;

  private @Nullable Tailer tailer;
  private @Nullable Output<O> answers;
  private @Nullable I component;
  private PartitionProgress progress;
  private volatile @Nullable SafeAnswers safe;
  private MessageBatch<I, O> batch;
  private Idle idle;
  private int idleTurns;
  private long idleNanos;
  private long committedPosition;
  private long readUpTo = -1;

  /** What a step has done. */
  enum Step {
    PERFORMED,
    FOUND_NOTHING,
    RESTED,
    DRAINED
  }

  @SuppressWarnings("NullAway.Init") // open() sets the fields that the steps use
  PartitionLoop(
      ServiceParts<I, O> parts, int partition, Standing standing, Workload workload, Waits waits) {
    this.parts = parts;
    this.in = parts.in().queue();
    this.partition = partition;
    this.standing = standing;
    this.workload = workload;
    this.waits = waits;
    Adoption adoption = new Adoption(parts.name(), partition, in, parts.remembered());
    this.answered =
        in.shared()
            ? new CommittedProgress(adoption, parts.out().queue())
            : new AnsweredProgress(adoption, parts.out().queue(), parts.time()::nanos);
    this.progress = answered;
  }

  /**
   * The position behind the last message performed and answered; -1 before the first comparison.
   * For any thread.
   */
  long answeredPosition() {
    return answeredPosition;
  }

  /** As {@link #answeredPosition}, of answers that can no longer be lost. For any thread. */
  long safePosition() {
    SafeAnswers known = safe;
    return known == null ? -1 : known.position();
  }

  /** Creates the component and compares the queues with the progress. */
  void open() {
    Tailer messages = in.followers().apply(partition);
    tailer = messages;
    Output<O> output = output();
    output.recordHistory(parts.name(), parts.options().historyOneIn());
    answers = output;
    I created = waits.untilAvailable(() -> parts.factory().create(partition, output.calls()));
    if (created == null) {
      throw new IllegalStateException(
          "the factory of service %s created null instead of a component".formatted(parts.name()));
    }
    component = created;
    if (created instanceof BatchAware aware && aware.answersInRuns(output::flush)) {
      output.collectRuns();
    }
    progress =
        created instanceof Resumable resumable
            ? new StoredProgress(resumable, parts.time()::nanos)
            : answered;
    if (progress.isCommittedWithAnswers()) {
      output.commits(progress::offset);
    }
    batch = new MessageBatch<>(parts, partition, created, output, progress, waits, workload);
    idle = parts.options().idle().get();
    idleTurns = 0;
    Resumable.Progress from = compare(messages);
    answeredPosition = from.readFrom();
    batch.open(answeredPosition);
    committedPosition = -1;
    safe = new SafeAnswers(output, progress, this::passed, answeredPosition);
    if (in.shared()) {
      passed(answeredPosition); // other instances read it there
    }
  }

  private Output<O> output() {
    Protocol<O> protocol = parts.out().protocol();
    MessageQueue out = parts.out().queue();
    return parts
        .subscription()
        .get()
        .map(subscription -> protocol.output(out, partition, subscription))
        .orElseGet(() -> protocol.output(out, partition));
  }

  /** Everything before this position is performed and safely answered. */
  private void passed(long position) {
    if (!progress.isCommittedWithAnswers()) {
      parts.subscription().get().ifPresent(it -> it.passed(partition, position));
    }
  }

  /**
   * Compares the queues with the progress. Until then, appends may reuse performed positions; the
   * queue remembers from which position on.
   */
  private Resumable.Progress compare(Tailer messages) {
    Comparison comparison =
        new Comparison(
            parts.place(partition),
            in,
            parts.name(),
            parts.out().queue().name(),
            messages,
            progress.isCommittedWithAnswers()
                ? OptionalLong.empty()
                : LastMessage.source(parts.out().queue(), partition));
    long first = messages.position();
    Resumable.Progress found = waits.untilAvailable(() -> progress.resume(comparison));
    comparison.mustAgree(found, first);
    waits.untilAvailable(() -> progress.agreed(found.next()));
    in.agreed(partition);
    return found;
  }

  /** Performs one batch, or waits a moment if there is none or the service rests. */
  Step step() {
    Orders.Rest rest = parts.orders().rest();
    if (rest != null) {
      standing.enter(rest.phase(), rest.reason());
      parts.time().sleep(REST_NANOS);
      rememberSafe();
      return Step.RESTED;
    }
    boolean draining = parts.orders().isDraining();
    standing.enter(draining ? ServiceState.Phase.DRAINING : ServiceState.Phase.RUNNING, "");
    if (perform() > 0) {
      idleTurns = 0;
      return Step.PERFORMED;
    }
    if (draining && isAtEnd() && !waits.isStopping() && in.drained(partition) && isAtEnd()) {
      drain();
      return Step.DRAINED;
    }
    progress.idle(safe().position());
    commitGap();
    idle.idle(++idleTurns, tailer());
    return Step.FOUND_NOTHING;
  }

  /** Commits that no message follows up to here: positions may have gaps, also at the end. */
  private void commitGap() {
    long now = parts.time().nanos();
    if (idleTurns == 0) {
      idleNanos = now;
    } else if (progress.isCommittedWithAnswers()
        && committedPosition < answeredPosition
        && safe().position() == answeredPosition
        && now - idleNanos > IDLE_NANOS) {
      waits.untilAvailable(() -> answers().commit(progress.offset(answeredPosition)));
      committedPosition = answeredPosition;
    }
  }

  private int perform() {
    int count = batch.perform(tailer(), answeredPosition);
    // Positions may have gaps, also behind the last message; no message waits there.
    answeredPosition = Math.max(answeredPosition, tailer().position());
    if (count > 0) {
      batch.count();
    }
    rememberSafe();
    return count;
  }

  private boolean isAtEnd() {
    return tailer().position() >= tailer().end();
  }

  private void drain() {
    while (safe().position() < answeredPosition) {
      waits.mustGoOn();
      parts.time().sleep(FORCE_NANOS);
      rememberSafe();
    }
    waits.untilAvailable(() -> progress.drained(safe().position()));
    standing.enter(ServiceState.Phase.DRAINED, "");
  }

  private void rememberSafe() {
    if (safe().position() < answeredPosition) {
      waits.untilAvailable(answers()::publish); // publishing in the background may have failed
    }
    safe().remember(answeredPosition);
  }

  /** Stores the progress at a stop, also after {@link #close}. */
  void stopped() {
    if (safe != null) {
      progress.stopped(safe.position());
    }
  }

  /** The position up to which messages were read, also after {@link #close}. */
  long readUpTo() {
    return tailer == null ? readUpTo : tailer.position();
  }

  private Tailer tailer() {
    return Objects.requireNonNull(tailer);
  }

  private Output<O> answers() {
    return Objects.requireNonNull(answers);
  }

  private SafeAnswers safe() {
    return Objects.requireNonNull(safe);
  }

  /** Closes the queues and the component; it can be opened again. */
  @Override
  public void close() {
    readUpTo = readUpTo();
    try (Tailer _ = tailer;
        Output<O> _ = answers) {
      tailer = null;
      answers = null;
    } finally {
      workload.end();
      Message.clear();
      closeComponent();
    }
  }

  private void closeComponent() {
    if (component instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        log.warn("Component of {} could not be closed", parts.place(partition), e);
      }
    }
    component = null;
  }
}
