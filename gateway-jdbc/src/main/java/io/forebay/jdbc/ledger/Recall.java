/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.service.progress.Disagreement;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of statements that were performed before a restart and may not be answered. The
 * statements are read again from the in-queue for their ids, in the order of the outcomes.
 */
public final class Recall {

  private final Deque<Ledger.StoredBatch> batches;
  private final long lastAnswered;
  private long from = -1;
  private long to = -1;
  private @Nullable Long wanted;
  private long checksum;
  private Iterator<Outcome> outcomes = List.<Outcome>of().iterator();

  /**
   * @param lastAnswered the position of the last result in the out-queue, -1 if there is none
   */
  Recall(Deque<Ledger.StoredBatch> batches, long lastAnswered) {
    this.batches = batches;
    this.lastAnswered = lastAnswered;
  }

  /**
   * The position to read from if anything is to be recalled; otherwise {@code next}.
   *
   * @param first the first position still in the in-queue; everything before it is safely answered,
   *     so its outcomes are skipped
   */
  long readFrom(long first, long next) {
    Ledger.StoredBatch batch = batches.peek();
    if (batch == null) {
      return next;
    }
    if (batch.from() >= first) {
      return batch.from();
    }
    batches.remove();
    from = batch.from();
    to = batch.to(); // only a part of the batch is read, so checksums cannot be compared
    List<Outcome> all = OutcomeCodec.decode(batch.outcomes());
    long gone = first - batch.from();
    if (all.size() != batch.to() - batch.from()) {
      throw new IllegalStateException(
          ("the messages from %,d to %,d were deleted from the in-queue, but results"
                  + " of their batch are missing")
              .formatted(batch.from(), first));
    }
    outcomes = all.subList((int) gone, all.size()).iterator();
    return first;
  }

  /** Sets the outcome of a statement that was performed. */
  public void apply(PendingStatement statement, long position) {
    while (position >= to) {
      Ledger.@Nullable StoredBatch batch = outcomes.hasNext() ? null : batches.poll();
      if (batch == null) {
        throw missing(position);
      }
      from = batch.from();
      to = batch.to();
      wanted = batch.checksum();
      checksum = 0;
      outcomes = OutcomeCodec.decode(batch.outcomes()).iterator();
    }
    if (!outcomes.hasNext()) {
      throw missing(position);
    }
    statement.outcome = outcomes.next();
    statement.recalled = true;
    statement.answered = position <= lastAnswered;
    checksum = statement.addTo(checksum);
    if (!outcomes.hasNext() && wanted != null && wanted != checksum) {
      throw new Disagreement(
          ("the messages from %,d to %,d differ from those whose outcomes"
                  + " forebay.outcome contains; their missing results are not written")
              .formatted(from, to));
    }
  }

  private static IllegalStateException missing(long position) {
    return new IllegalStateException(
        ("position %,d was performed, but its outcome is missing from"
                + " forebay.outcome; check whether the table was changed by hand")
            .formatted(position));
  }
}
