/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.Output;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Up to where the answers of a partition can no longer be lost. Reports that to queue and
 * component. For one thread.
 */
final class SafeAnswers {

  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

  private final Output<?> answers;
  private final @Nullable Resumable component;
  private final LongConsumer queue;
  private long position;
  private long marked;
  private long ticket;
  private long kept;
  private long movedNanos;

  /**
   * @param queue told what is passed
   * @param position all before it is safe
   */
  SafeAnswers(Output<?> answers, @Nullable Resumable component, LongConsumer queue, long position) {
    this.answers = answers;
    this.component = component;
    this.queue = queue;
    this.position = position;
    marked = position;
    kept = position;
  }

  /** All before it is answered safely. */
  long position() {
    return position;
  }

  /**
   * @param answered all before it is answered, perhaps not yet safely
   */
  void remember(long answered) {
    if (marked == position && answered > position) {
      marked = answered;
      ticket = answers.lastTicket();
    }
    if (marked > position && answers.acknowledged() >= ticket) {
      position = marked;
      movedNanos = System.nanoTime();
      queue.accept(position);
      if (component != null) {
        component.answered(position);
      }
    }
  }

  /**
   * A component keeps how far it has answered with its next batch, which may not come for longer
   * than answers are kept.
   */
  void keepWhenIdle() {
    if (component != null && kept < position && System.nanoTime() - movedNanos > IDLE_NANOS) {
      try {
        component.idle();
        kept = position;
      } catch (Unavailable e) {
        movedNanos = System.nanoTime(); // later is as good
      }
    }
  }
}
