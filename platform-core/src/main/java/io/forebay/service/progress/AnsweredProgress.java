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
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of one partition of a queue of one host whose component stores none: a message
 * counts as performed when it is answered. If the answers were deleted, the progress comes from the
 * in-queue and {@link HostedProgress}. Not thread-safe.
 */
public final class AnsweredProgress implements PartitionProgress {

  private static final Logger log = LoggerFactory.getLogger(AnsweredProgress.class);

  /** The shortest interval in which an idle service stores its progress. */
  private static final long INTERVAL = Duration.ofSeconds(10).toNanos();

  private final Adoption adoption;
  private final MessageQueue in;
  private final MessageQueue out;
  private final LongSupplier nanoTime;
  private long rememberedPosition = -1;
  private long rememberedNanos;

  /**
   * @param nanoTime a monotonic clock
   */
  public AnsweredProgress(Adoption adoption, MessageQueue out, LongSupplier nanoTime) {
    this.adoption = adoption;
    this.in = adoption.in;
    this.out = out;
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
    HostedProgress.Entry entry = adoption.find();
    long kept = entry != null && adoption.isOwn(entry) ? entry.position() : 0;
    long passed = in.passed(adoption.service, adoption.partition).orElse(0);
    Resumable.Progress progress = comparison.progressOfAnswers(Math.max(kept, passed));
    if (entry == null && comparison.lastAnswered().isEmpty()) {
      mustBeKnown(progress.next());
    }
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
    adoption.adopt(position);
    rememberedPosition = position;
    rememberedNanos = nanoTime.getAsLong();
  }

  /**
   * Throws if the progress is unknown. If answers were deleted, starting at the first message kept
   * could perform messages again.
   */
  private void mustBeKnown(long next) {
    try (Tailer answers = out.tailer(adoption.partition);
        Tailer messages = in.tailer(adoption.partition)) {
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
                adoption.partition,
                adoption.service,
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
    in.awaitSafe(adoption.partition, position + 1);
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
      adoption.keep(position, false);
      rememberedPosition = position;
    } catch (Unavailable e) {
      log.debug(
          "Progress of partition {} of service {} was not stored",
          adoption.partition,
          adoption.service,
          e);
    }
  }

  @Override
  public void drained(long position) {
    adoption.keep(position, true);
    rememberedPosition = Long.MAX_VALUE;
  }
}
