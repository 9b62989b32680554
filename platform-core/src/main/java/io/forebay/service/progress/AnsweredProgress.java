/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of one partition whose component stores none: a message counts as performed when it
 * is answered. If the answers were deleted, the progress comes from the in-queue and {@link
 * HostedProgress}. Not thread-safe.
 */
public final class AnsweredProgress implements PartitionProgress {

  private static final Logger log = LoggerFactory.getLogger(AnsweredProgress.class);

  /** The shortest interval in which an idle service stores its progress. */
  private static final long INTERVAL = Duration.ofSeconds(10).toNanos();

  private static final String MEMORY = "memory:";

  private final String service;
  private final int partition;
  private final MessageQueue in;
  private final MessageQueue out;
  private final HostedProgress remembered;
  private final LongSupplier nanoTime;
  private boolean adopted;
  private long rememberedPosition = -1;
  private long rememberedNanos;

  /**
   * @param nanoTime a monotonic clock
   */
  public AnsweredProgress(
      String service,
      int partition,
      MessageQueue in,
      MessageQueue out,
      HostedProgress remembered,
      LongSupplier nanoTime) {
    this.service = service;
    this.partition = partition;
    this.in = in;
    this.out = out;
    this.remembered = remembered;
    this.nanoTime = nanoTime;
  }

  /**
   * Where to resume.
   *
   * @throws Unavailable if that cannot be read now
   * @throws Disagreement if messages may be left in another queue, or the progress of the service
   *     is unknown
   */
  @Override
  public Resumable.Progress resume(Comparison comparison) {
    Map<Integer, HostedProgress.Entry> entries = remembered.find(service);
    HostedProgress.Entry entry = entries.get(partition);
    HostedProgress.Entry own =
        entry != null && entry.queueId().equals(in.identity()) ? entry : null;
    if (own == null) {
      mustBeDrained(entries);
    }
    long known = Math.max(own == null ? 0 : own.position(), passed(comparison.lastAnswered()));
    Resumable.Progress progress = comparison.progressOfAnswers(known);
    if (entry == null && comparison.lastAnswered().isEmpty()) {
      mustBeKnown(progress.next());
    }
    adopted = own == null || own.drained();
    return progress;
  }

  /**
   * Records that the queues agree with the progress. When this returns, it is durable that the
   * service performs this queue.
   *
   * @throws Unavailable if that cannot be written now
   */
  @Override
  public void agreed(long position) {
    if (adopted) {
      keep(position, false);
      adopted = false;
    }
    rememberedPosition = position;
    rememberedNanos = nanoTime.getAsLong();
  }

  /**
   * The position that the consumer has passed; the answers take precedence if others can change it.
   */
  private long passed(OptionalLong lastAnswered) {
    return in.shared() && lastAnswered.isPresent() ? 0 : in.passed(service, partition).orElse(0);
  }

  /** Also checks partitions that only the previous queue had: nothing else would check them. */
  private void mustBeDrained(Map<Integer, HostedProgress.Entry> entries) {
    entries.forEach((number, entry) -> {
      boolean concerned = number == partition || number >= in.partitions();
      if (concerned
          && !entry.drained()
          && !entry.queueId().equals(in.identity())
          && !entry.queueId().startsWith(MEMORY)) {
        throw new Disagreement(
            String.format(
                Locale.ROOT,
                "partition %d of service %s has performed queue %s up to %,d and has not"
                    + " drained it, but was started with queue %s; start it with the previous queue"
                    + " and drain it; if that queue is lost, see docs/operations.md, \"A queue"
                    + " was lost\"",
                number,
                service,
                entry.queueId(),
                entry.position(),
                in.identity()));
      }
    });
  }

  /**
   * Throws if the progress is unknown. If answers were deleted, starting at the first message kept
   * could perform messages again.
   */
  private void mustBeKnown(long next) {
    try (Tailer answers = out.tailer(partition);
        Tailer messages = in.tailer(partition)) {
      long deleted = answers.position();
      long first = messages.position();
      long end = messages.end();
      if (deleted > 0 && next <= first && first < end) {
        throw new Disagreement(
            String.format(
                Locale.ROOT,
                "the progress of partition %d of service %s on queue %s is unknown"
                    + " (first=%,d, end=%,d): its answers up to %,d were deleted and its stored"
                    + " position is missing; nothing is performed until an operator sets the"
                    + " position, see docs/operations.md, \"A position is missing\"",
                partition,
                service,
                in.identity(),
                first,
                end,
                deleted));
      }
    }
  }

  /** A message may only be performed when it can no longer be lost. */
  @Override
  public void performs(long position, ByteBuffer message) {
    in.awaitSafe(partition, position + 1);
  }

  @Override
  public void idle(long position) {
    if (position > rememberedPosition && nanoTime.getAsLong() - rememberedNanos >= INTERVAL) {
      tryToKeep(position);
    }
  }

  @Override
  public void stopped(long position) {
    if (position > rememberedPosition && rememberedPosition >= 0) {
      tryToKeep(position);
    }
  }

  /** Tries to store the progress; the queue and the answers have it too. */
  private void tryToKeep(long position) {
    rememberedNanos = nanoTime.getAsLong();
    try {
      keep(position, false);
      rememberedPosition = position;
    } catch (Unavailable e) {
      log.debug("Progress of partition {} of service {} was not stored", partition, service, e);
    }
  }

  @Override
  public void drained(long position) {
    keep(position, true);
    rememberedPosition = Long.MAX_VALUE;
  }

  private void keep(long position, boolean drained) {
    boolean inMemory = in.identity().startsWith(MEMORY);
    if (!inMemory && (remembered.isShared() || !in.shared())) {
      remembered.keep(
          service, partition, new HostedProgress.Entry(in.identity(), position, drained));
    }
  }
}
