/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import io.forebay.hosting.HostedService;
import io.forebay.operations.PartitionView;
import io.forebay.service.errors.BlockingMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** Waits of a test for services. */
final class ServiceWait {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);
  private static final long A_MOMENT_MILLIS = 2;

  private ServiceWait() {}

  /**
   * @throws AssertionError if that takes longer than 30 s; it has the states of the services
   */
  static void until(Collection<? extends HostedService<?, ?>> services, BooleanSupplier condition) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begun > PATIENCE.toNanos()) {
        throw new AssertionError(
            "not within %s: %s"
                .formatted(PATIENCE, services.stream().map(HostedService::view).toList()));
      }
      try {
        Thread.sleep(A_MOMENT_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while it waited", e);
      }
    }
  }

  /** Whether every call is performed and answered, or given up. */
  static boolean isPerformed(HostedService<?, ?> service) {
    return service.view().partitions().stream()
        .allMatch(it -> it.position().orElse(-1) >= it.end().orElse(Long.MAX_VALUE));
  }

  /** How often the call has failed that a partition retries now; 0 if there is none. */
  static long tries(HostedService<?, ?> service) {
    return service.view().partitions().stream()
        .map(PartitionView::waitsFor)
        .filter(Objects::nonNull)
        .mapToLong(BlockingMessage::attempts)
        .max()
        .orElse(0);
  }

  /** Ends the pause of a service before it retries a call. */
  static void retryNow(HostedService<?, ?> service, TestClock clock) {
    if (tries(service) > 0) {
      clock.advance(LONGEST_PAUSE);
    }
  }
}
