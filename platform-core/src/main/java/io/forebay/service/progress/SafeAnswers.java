/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.call.Output;
import java.util.function.LongConsumer;

/**
 * Tracks the position up to which the answers of a partition can no longer be lost, and reports it
 * to the queue and the progress. For one thread, except {@link #position}.
 */
public final class SafeAnswers {

  private final Output<?> answers;
  private final PartitionProgress progress;
  private final LongConsumer queue;
  private volatile long position;
  private long marked;
  private long ticket;

  /**
   * @param queue receives the passed position
   * @param position the position up to which all answers are safe
   */
  public SafeAnswers(
      Output<?> answers, PartitionProgress progress, LongConsumer queue, long position) {
    this.answers = answers;
    this.progress = progress;
    this.queue = queue;
    this.position = position;
    marked = position;
  }

  /** The position up to which all messages are answered safely. */
  public long position() {
    return position;
  }

  /**
   * @param answered the position up to which all messages are answered, perhaps not yet safely
   */
  public void remember(long answered) {
    if (marked == position && answered > position) {
      marked = answered;
      ticket = answers.lastTicket();
    }
    if (marked > position && answers.isAcknowledged(ticket)) {
      position = marked;
      queue.accept(position);
      progress.answered(position);
    }
  }
}
