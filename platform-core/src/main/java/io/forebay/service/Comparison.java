/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.Verification;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a partition's progress, its in-queue and its out-queue say of each other at the start.
 * Nothing is performed before they agree.
 *
 * @param place the partition, in words
 * @param tailer of the in-queue, which may be moved
 * @param lastAnswered the position that the last frame of the out-queue answers
 */
record Comparison(
    String place, MessageQueue in, String outName, Tailer tailer, OptionalLong lastAnswered) {

  private static final Logger log = LoggerFactory.getLogger(Comparison.class);

  /** The progress of a component that keeps none: it has performed what it has answered. */
  Resumable.Progress progressOfAnswers() {
    tailer.toStart();
    long next = tailer.position();
    if (lastAnswered.isPresent() && lastAnswered.getAsLong() >= tailer.end()) {
      next = lastAnswered.getAsLong() + 1; // the queue lost what was performed
    } else if (lastAnswered.isPresent() && lastAnswered.getAsLong() >= next) {
      tailer.seek(lastAnswered.getAsLong());
      next = behindNext();
    }
    return new Resumable.Progress(next, next);
  }

  /** Behind the message at which the tailer stands. */
  private long behindNext() {
    long begin = System.nanoTime();
    while (tailer.poll(1, (_, _) -> {}) == 0) {
      if (System.nanoTime() - begin > LastMessage.PATIENCE.toNanos()) {
        throw new QueueUnavailable(place + " cannot be read", null);
      }
      tailer.await(LastMessage.TURN);
    }
    return tailer.position();
  }

  /**
   * Makes the in-queue go on behind what was performed, where it may.
   *
   * @param first the first position that the in-queue still has
   * @throws IllegalStateException if the database went back
   * @throws QueueFailed if the queue lost messages that it had acknowledged as safe, or is damaged
   */
  void mustAgree(Resumable.Progress progress, long first) {
    long next = progress.next();
    if (lastAnswered.isPresent() && lastAnswered.getAsLong() >= next) {
      throw new IllegalStateException(
          ("queue %s holds a result for position %,d of %s, but the database has only performed up to"
                  + " %,d: it went back, as after a restore; nothing is performed until an operator"
                  + " decides")
              .formatted(outName, lastAnswered.getAsLong(), place, next));
    }
    if (progress.readFrom() < first) {
      throw new QueueFailed(
          ("%s begins at %,d, but the next position to be read is %,d: what was between was deleted"
                  + " before it was performed and answered, as by retention; nothing is performed until"
                  + " an operator acts, see docs/operations.md, \"A queue is gone\"")
              .formatted(place, first, progress.readFrom()),
          null);
    }
    long end = tailer.end();
    if (end < next) {
      goOnBehindLoss(end, next);
    }
    Verification verification = in.verify(tailer.partition(), Math.min(progress.readFrom(), end));
    if (!verification.good()) {
      throw new QueueFailed(
          "%s is damaged at %,d: %s; nothing behind it is performed until an operator sets it aside"
              .formatted(place, verification.end(), verification.damage()),
          null);
    }
  }

  private void goOnBehindLoss(long end, long next) {
    boolean durable = in.capabilities().strongest().compareTo(Level.DISK) >= 0;
    if (durable || !in.capabilities().contiguous()) { // it gives positions itself
      throw new QueueFailed(
          ("%s ends at %,d, but %,d was performed: acknowledged messages are gone; restore the queue's"
                  + " files, or set the partition aside")
              .formatted(place, end, next),
          null);
    }
    log.warn(
        "{} ends at {}, but messages up to {} were performed: the host lost what was not yet on disk;"
            + " going on at {}",
        place,
        end,
        next,
        next);
    in.skipTo(tailer.partition(), next);
  }
}
