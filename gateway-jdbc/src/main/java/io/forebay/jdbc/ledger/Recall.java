/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.service.progress.Disagreement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of statements that were performed before a restart and may not be answered. The
 * statements are read again from the in-queue for their ids, in the order of the outcomes. A
 * message that the in-queue no longer has, because it was deleted or set aside, has no answer. Only
 * the outcomes of one batch are in memory.
 */
public final class Recall {

  private final long lastAnswered;
  private Deque<OutcomeCodec.Run> runs = new ArrayDeque<>();

  /** The message whose outcome is next, and how many of its outcomes were given. */
  private long position;

  private int given;

  private long from = -1;
  private long to = -1;

  /** Null if a message of the batch is missing: then checksums cannot be compared. */
  private @Nullable Long wanted;

  private long checksum;

  /**
   * @param lastAnswered the position of the last result in the out-queue, -1 if there is none
   */
  Recall(long lastAnswered) {
    this.lastAnswered = lastAnswered;
  }

  /** Whether the outcome of the message at a position is the first one of its transaction. */
  public boolean beginsBatch(long wantedPosition) {
    return wantedPosition >= to;
  }

  /**
   * Sets the outcome of a statement that was performed.
   *
   * @param kept reads the first batch that ends behind a position; if it throws, the call may be
   *     repeated
   */
  public void apply(PendingStatement statement, LongFunction<Ledger.@Nullable KeptBatch> kept) {
    long wantedPosition = statement.position();
    if (beginsBatch(wantedPosition)) {
      Ledger.KeptBatch batch = kept.apply(wantedPosition);
      if (batch == null) {
        throw missing(wantedPosition);
      }
      begin(batch);
    }
    while (!runs.isEmpty() && position < wantedPosition) {
      wanted = null;
      nextMessage();
    }
    if (runs.isEmpty() || position > wantedPosition) {
      throw missing(wantedPosition);
    }
    Outcome outcome = runs.peek().outcomes().get(given++);
    statement.recall(outcome, wantedPosition <= lastAnswered);
    checksum = statement.addTo(checksum);
    if (given == runs.peek().outcomes().size()) {
      nextMessage();
    }
    if (runs.isEmpty() && wanted != null && wanted != checksum) {
      throw new Disagreement(
          ("the messages from %,d to %,d differ from those whose outcomes"
                  + " forebay.outcome contains; their missing results are not written")
              .formatted(from, to));
    }
  }

  private void nextMessage() {
    given = 0;
    position++;
    if (position == runs.element().end()) {
      runs.remove();
      position = runs.isEmpty() ? to : runs.element().first();
    }
  }

  private void begin(Ledger.KeptBatch batch) {
    runs = new ArrayDeque<>(OutcomeCodec.decode(batch.outcomes(), batch.from()));
    from = batch.from();
    to = batch.to();
    wanted = batch.checksum();
    checksum = 0;
    position = runs.isEmpty() ? to : runs.element().first();
    given = 0;
  }

  private static IllegalStateException missing(long position) {
    return new IllegalStateException(
        ("position %,d was performed, but its outcome is missing from"
                + " forebay.outcome; check whether the table was changed by hand")
            .formatted(position));
  }
}
