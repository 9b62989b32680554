/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.service.progress.Disagreement;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of statements that were performed before a restart and may not be answered. The
 * statements are read again from the in-queue for their ids, in the order of the outcomes. A
 * message that the in-queue no longer has, because it was deleted or set aside, has no answer.
 */
public final class Recall {

  private final Deque<Ledger.StoredBatch> batches;
  private final Set<Long> begins;
  private final long lastAnswered;
  private OutcomeCodec.Kept kept = new OutcomeCodec.Kept(List.of(), new long[0]);
  private int index;
  private long from = -1;
  private long to = -1;

  /** Null if a message of the batch is missing: then checksums cannot be compared. */
  private @Nullable Long wanted;

  private long checksum;

  /**
   * @param lastAnswered the position of the last result in the out-queue, -1 if there is none
   */
  Recall(Deque<Ledger.StoredBatch> batches, long lastAnswered) {
    this.batches = batches;
    this.begins = batches.stream().map(Ledger.StoredBatch::from).collect(Collectors.toSet());
    this.lastAnswered = lastAnswered;
  }

  /**
   * The position to read from if anything is to be recalled; otherwise {@code next}.
   *
   * @param first the first position still in the in-queue
   */
  long readFrom(long first, long next) {
    Ledger.StoredBatch batch = batches.peek();
    return batch == null ? next : Math.max(batch.from(), first);
  }

  /** Whether a statement with an answer was the first one of its transaction. */
  public boolean beginsBatch(PendingStatement statement) {
    return statement.message != null && begins.contains(statement.message.position());
  }

  /** Sets the outcome of a statement that was performed. */
  public void apply(PendingStatement statement, long position) {
    while (position >= to) {
      begin(batches.poll(), position);
    }
    long[] positions = kept.positions();
    while (index < positions.length && positions[index] < position) {
      index++;
      wanted = null;
    }
    if (index == positions.length || positions[index] > position) {
      throw missing(position);
    }
    statement.outcome = kept.outcomes().get(index);
    statement.recalled = true;
    statement.answered = position <= lastAnswered;
    index++;
    checksum = statement.addTo(checksum);
    if (index == positions.length && wanted != null && wanted != checksum) {
      throw new Disagreement(
          ("the messages from %,d to %,d differ from those whose outcomes"
                  + " forebay.outcome contains; their missing results are not written")
              .formatted(from, to));
    }
  }

  private void begin(Ledger.@Nullable StoredBatch batch, long position) {
    if (batch == null) {
      throw missing(position);
    }
    from = batch.from();
    to = batch.to();
    wanted = batch.checksum();
    checksum = 0;
    kept = OutcomeCodec.decode(batch.outcomes(), from, to);
    index = 0;
  }

  private static IllegalStateException missing(long position) {
    return new IllegalStateException(
        ("position %,d was performed, but its outcome is missing from"
                + " forebay.outcome; check whether the table was changed by hand")
            .formatted(position));
  }
}
