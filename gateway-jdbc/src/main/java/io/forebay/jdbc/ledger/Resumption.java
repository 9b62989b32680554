/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.service.progress.Adoption;
import io.forebay.service.progress.Disagreement;
import io.forebay.service.progress.HostedProgress.Entry;
import io.forebay.service.progress.Resumable.Progress;
import io.forebay.service.progress.Resumable.Start;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds where a partition resumes: in its previous queue or in a queue that replaces it. */
public record Resumption(GatewaySettings settings, Ledger ledger, Start start) {

  private static final Logger log = LoggerFactory.getLogger(Resumption.class);

  /**
   * @param recall the statements that were performed and may not be answered
   * @param answered all before it has its result in the out-queue, safely
   * @param attempts how often a batch from there was begun but not committed
   */
  public record Claim(Progress progress, Recall recall, long answered, int attempts) {}

  /**
   * Claims the partition. The caller commits.
   *
   * @throws Disagreement if the queue cannot follow the one that the partition worked on
   */
  public Claim find(DatabaseSession session) throws SQLException {
    // what the in-queue no longer has, or has as passed, was answered safely
    long gone = Math.max(start.first(), start.passed()) - 1;
    long lastAnswered = Math.max(start.lastAnswered().orElse(-1), gone);
    Ledger.Progress row = ledger.claim(session, start.queueIdentity(), start.first());
    return row.queueId().equals(start.queueIdentity())
        ? goOn(session, row, Math.max(lastAnswered, row.answered() - 1))
        : adopt(session, row, lastAnswered + 1);
  }

  private Claim goOn(DatabaseSession session, Ledger.Progress row, long lastAnswered)
      throws SQLException {
    if (start.lastAnswered().isEmpty() && row.next() > 0) {
      tellOfMissingResults(row.next());
    }
    Ledger.KeptBatch kept = ledger.kept(session, lastAnswered + 1);
    long readFrom = kept == null ? row.next() : Math.max(kept.from(), start.first());
    return new Claim(
        new Progress(readFrom, row.next(), row.last()),
        new Recall(lastAnswered),
        Math.min(lastAnswered + 1, row.next()),
        row.attempts());
  }

  private Claim adopt(DatabaseSession session, Ledger.Progress row, long notAnswered)
      throws SQLException {
    Map<Integer, Entry> entries = new HashMap<>();
    Ledger.rows(session.connection(), settings.service())
        .forEach((partition, it) ->
            entries.put(partition, new Entry(it.queueId(), it.next(), it.drained())));
    entries.put(start.partition(), new Entry(row.queueId(), row.next(), row.drained()));
    Adoption.mustBeDrained(
        settings.service(), start.partition(), start.partitions(), start.queueIdentity(), entries);
    long next = ledger.adopt(session, row, start.queueIdentity(), notAnswered);
    return new Claim(new Progress(next, next), new Recall(next - 1), next, 0);
  }

  private void tellOfMissingResults(long next) {
    if (settings.results().keepsAll()) {
      log.warn(
          "Out-queue of partition {} of service {} is empty, but statements up to {}"
              + " were performed: the out-queue is new or was emptied; results that it"
              + " contained are lost; results not yet written are written now",
          start.partition(),
          settings.service(),
          next);
    }
  }
}
