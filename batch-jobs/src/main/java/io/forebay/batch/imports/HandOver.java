/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.gateway.Pending;
import io.forebay.queue.QueueRefused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.springframework.batch.core.job.JobInterruptedException;

/**
 * Hands over statements and waits until all are accepted. Each statement has its own idempotency
 * key, so handing it over again is safe. For the step's thread.
 */
final class HandOver implements AutoCloseable {

  private static final Duration LOOK = Duration.ofMillis(500);

  private final String client;
  private final StepWait waiting;
  private final List<Pending<?>> pending = new ArrayList<>();

  HandOver(String client, StepWait waiting) {
    this.client = client;
    this.waiting = waiting;
  }

  /**
   * Hands over the statement of a record. Waits while the queue refuses it temporarily.
   *
   * @return false if it is larger than the queue allows
   * @throws QueueRefused if the queue will not accept it until an operator acts
   * @throws JobInterruptedException if the job must stop
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
        waiting.await(e.retryAfter(), "the queue refuses statements at present: " + e.getMessage());
      }
    }
  }

  /**
   * Returns when the queue has acknowledged everything that was handed over, at its strongest
   * level.
   *
   * @throws JobInterruptedException if the job must stop
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
        waiting.await(LOOK, "the queue has not yet acknowledged the statements");
      }
    }
  }

  /** Closes the sender. Statements already handed over are still performed. */
  @Override
  public void close() {
    pending.forEach(each -> each.cancel(false));
    pending.clear();
  }
}
