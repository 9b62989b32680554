/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.call.Output;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the position up to which the answers of a partition can no longer be lost, and reports it
 * to queue and component. Not thread-safe.
 */
public final class SafeAnswers {

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
   * @param queue receives the passed position
   * @param position the position up to which all answers are safe
   */
  public SafeAnswers(
      Output<?> answers, @Nullable Resumable component, LongConsumer queue, long position) {
    this.answers = answers;
    this.component = component;
    this.queue = queue;
    this.position = position;
    marked = position;
    kept = position;
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
   * Makes the component store its answered position while idle. Otherwise it would store it with
   * its next batch, which may come later than the answers are deleted.
   */
  public void keepWhenIdle() {
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
