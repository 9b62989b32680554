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
 * Hands over statements, and waits until all of them are accepted. Each has a key of its own, so it
 * may be handed over again. For the thread of the step.
 */
final class HandOver implements AutoCloseable {

  private static final Duration LOOK = Duration.ofMillis(500);

  private final String client;
  private final Waiting waiting;
  private final List<Pending<?>> pending = new ArrayList<>();

  HandOver(String client, Waiting waiting) {
    this.client = client;
    this.waiting = waiting;
  }

  /**
   * Hands over the statement of a record. A queue that takes none at the moment is waited for.
   *
   * @return false if it is larger than the queue takes
   * @throws QueueRefused if the queue will not take it before an operator has done something
   * @throws JobInterruptedException if the job is to stop
   */
  boolean handOver(ImportRecord record) throws JobInterruptedException {
    while (true) {
      try {
        pending.add(
            Objects.requireNonNull(record.statement())
                .handOver(client, Long.toString(record.line())));
        waiting.over();
        return true;
      } catch (QueueRefused e) {
        if (e.reason() == QueueRefused.Reason.TOO_LARGE) {
          return false;
        }
        if (!e.retryAfter().isPositive()) {
          throw e;
        }
        waiting.await(
            e.retryAfter(), "the queue takes no statements at the moment: " + e.getMessage());
      }
    }
  }

  /**
   * Returns when all that was handed over is safe at the queue's strongest level.
   *
   * @throws JobInterruptedException if the job is to stop
   */
  void awaitAccepted() throws JobInterruptedException, InterruptedException {
    for (Pending<?> each : pending) {
      awaitAccepted(each);
    }
    close();
  }

  private void awaitAccepted(Pending<?> each) throws JobInterruptedException, InterruptedException {
    while (true) {
      try {
        each.awaitAccepted(LOOK);
        waiting.over();
        return;
      } catch (TimeoutException _) {
        waiting.await(LOOK, "the queue has not yet said that statements are safe");
      }
    }
  }

  /** What was handed over is performed nevertheless. */
  @Override
  public void close() {
    pending.forEach(each -> each.cancel(false));
    pending.clear();
  }
}
