/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of one partition whose component keeps none: it has performed what it has answered.
 * Where the answers were deleted meanwhile, what the in-queue and {@link HostedProgress} remember
 * tells how far that was. For one thread.
 */
final class AnsweredProgress {

  private static final Logger log = LoggerFactory.getLogger(AnsweredProgress.class);

  /** An idle service remembers how far it is no more often than this. */
  private static final long INTERVAL = Duration.ofSeconds(10).toNanos();

  private static final String MEMORY = "memory:";

  private final String service;
  private final int partition;
  private final MessageQueue in;
  private final MessageQueue out;
  private final HostedProgress remembered;
  private boolean adopted;
  private long rememberedPosition = -1;
  private long rememberedNanos;

  AnsweredProgress(Service<?, ?> service, int partition, HostedProgress remembered) {
    this.service = service.name();
    this.partition = partition;
    this.in = service.in().queue();
    this.out = service.out().queue();
    this.remembered = remembered;
  }

  /**
   * Where to go on.
   *
   * @throws Unavailable if that cannot be read now
   * @throws Disagreement if messages may be left in another queue, or nobody knows how far the
   *     service was
   */
  Resumable.Progress resume(Comparison comparison) {
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
   * The queues agree with it. When this returns, it is remembered that the service performs this
   * queue.
   *
   * @throws Unavailable if that cannot be written now
   */
  void agreed(long position) {
    if (adopted) {
      keep(position, false);
      adopted = false;
    }
    rememberedPosition = position;
    rememberedNanos = System.nanoTime();
  }

  /** Where others may change what the consumer has passed, the answers go before that. */
  private long passed(OptionalLong lastAnswered) {
    return in.shared() && lastAnswered.isPresent() ? 0 : in.passed(service, partition).orElse(0);
  }

  /** Where the former queue had more partitions, nobody else would look at the others. */
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
                "partition %d of service %s has performed queue %s up to %,d and has not drained it, but"
                    + " was started with queue %s; start it with the former queue and drain it; if that is"
                    + " gone for good, see docs/operations.md, \"A queue is gone\"",
                number,
                service,
                entry.queueId(),
                entry.position(),
                in.identity()));
      }
    });
  }

  /**
   * Where answers were deleted, to begin with the first message kept would perform again what was
   * performed.
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
                "it is not known how far partition %d of service %s has performed queue %s (first=%,d, end=%,d):"
                    + " its answers were deleted (up to %,d) and its position is gone; nothing is performed"
                    + " until an operator sets the position, see docs/operations.md, \"A position is gone\"",
                partition,
                service,
                in.identity(),
                first,
                end,
                deleted));
      }
    }
  }

  /** While there is nothing to do; what is not remembered now is later. */
  void idle(long position) {
    if (position > rememberedPosition && System.nanoTime() - rememberedNanos >= INTERVAL) {
      tryToKeep(position);
    }
  }

  /** Before the queues agreed there is nothing to remember. */
  void stopped(long position) {
    if (position > rememberedPosition && rememberedPosition >= 0) {
      tryToKeep(position);
    }
  }

  /** Where that is not possible, the queue and the answers know it too. */
  private void tryToKeep(long position) {
    rememberedNanos = System.nanoTime();
    try {
      keep(position, false);
      rememberedPosition = position;
    } catch (Unavailable e) {
      log.debug("how far partition {} of service {} is was not kept", partition, service, e);
    }
  }

  /**
   * @throws Unavailable if that cannot be written now
   */
  void drained(long position) {
    keep(position, true);
    rememberedPosition = Long.MAX_VALUE;
  }

  private void keep(long position, boolean drained) {
    if (remembered.isShared() || !in.shared()) {
      remembered.keep(
          service, partition, new HostedProgress.Entry(in.identity(), position, drained));
    }
  }
}
