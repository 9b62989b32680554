/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.awaitility.Awaitility.await;

import io.forebay.hosting.HostedService;
import io.forebay.operations.PartitionView;
import io.forebay.service.errors.BlockingMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.awaitility.core.ConditionTimeoutException;

/** Waits of a test for services. */
final class ServiceWait {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);
  private static final Duration A_MOMENT = Duration.ofMillis(2);

  private ServiceWait() {}

  /**
   * @throws ConditionTimeoutException if that takes longer than 30 s; it has the states of the
   *     services
   */
  static void until(Collection<? extends HostedService<?, ?>> services, BooleanSupplier condition) {
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(A_MOMENT)
        .untilAsserted(() -> {
          if (!condition.getAsBoolean()) {
            throw new AssertionError(services.stream().map(HostedService::view).toList());
          }
        });
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
