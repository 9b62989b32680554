/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.Pending;
import io.forebay.queue.QueueRefused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.springframework.batch.core.job.JobInterruptedException;

/**
 * Hands over the statements of a chunk and waits until all of them are accepted. Each has a key of
 * its own, so it may be handed over again. For the thread of the step.
 */
final class HandOver {

  private static final Duration LOOK = Duration.ofMillis(500);

  private final String client;
  private final Waiting waiting;

  HandOver(String client, Waiting waiting) {
    this.client = client;
    this.waiting = waiting;
  }

  /**
   * Returns when all are safe at the queue's strongest level. A queue that takes none at the moment
   * is waited for.
   *
   * @return those that are larger than the queue takes; nothing was handed over of them
   * @throws QueueRefused if the queue will not take them before an operator has done something
   * @throws JobInterruptedException if the job is to stop; some may have been handed over
   */
  List<ImportRecord> handOver(List<? extends ImportRecord> records)
      throws JobInterruptedException, InterruptedException {
    List<Pending<?>> pending = new ArrayList<>(records.size());
    List<ImportRecord> tooLarge = new ArrayList<>(0);
    try {
      for (ImportRecord record : records) {
        try {
          pending.add(handOver(record));
        } catch (QueueRefused e) {
          if (e.reason() != QueueRefused.Reason.TOO_LARGE) {
            throw e;
          }
          tooLarge.add(record);
        }
      }
      for (Pending<?> each : pending) {
        awaitAccepted(each);
      }
    } finally {
      pending.forEach(each -> each.cancel(false)); // it is performed nevertheless
    }
    return tooLarge;
  }

  private Pending<?> handOver(ImportRecord record) throws JobInterruptedException {
    while (true) {
      try {
        Pending<?> pending =
            Objects.requireNonNull(record.statement())
                .handOver(client, Long.toString(record.line()));
        waiting.over();
        return pending;
      } catch (QueueRefused e) {
        if (!e.retryAfter().isPositive()) {
          throw e;
        }
        waiting.await(
            e.retryAfter(), "the queue takes no statements at the moment: " + e.getMessage());
      }
    }
  }

  private void awaitAccepted(Pending<?> pending)
      throws JobInterruptedException, InterruptedException {
    while (true) {
      try {
        pending.awaitAccepted(LOOK);
        waiting.over();
        return;
      } catch (TimeoutException _) {
        waiting.await(LOOK, "the queue has not yet said that statements are safe");
      }
    }
  }
}
