/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.awaitility.Awaitility.await;

import io.forebay.hosting.DefinedService;
import io.forebay.hosting.HostedService;
import io.forebay.service.PartitionView;
import io.forebay.service.errors.BlockingMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;

/** Waits of a test for services. */
final class ServiceWait {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);
  private static final Duration A_MOMENT = Duration.ofMillis(2);

  private ServiceWait() {}

  /**
   * @throws ConditionTimeoutException if that takes longer than 30 s; it says what is awaited
   */
  static void until(
      Collection<? extends DefinedService<?, ?>> services, BooleanSupplier condition) {
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(A_MOMENT)
        .untilAsserted(() -> {
          if (!condition.getAsBoolean()) {
            throw new AssertionError(
                services.stream().map(ServiceWait::awaited).collect(Collectors.joining("; ")));
          }
        });
  }

  /** What a service has still to do. */
  static String awaited(DefinedService<?, ?> service) {
    return "service %s awaits the results of %d call(s); %s"
        .formatted(
            service.name(),
            service.pendingResults(),
            service.view().partitions().stream()
                .map(ServiceWait::awaited)
                .collect(Collectors.joining(", ")));
  }

  private static String awaited(PartitionView partition) {
    BlockingMessage waiting = partition.waitsFor();
    return "partition %d is %s and has performed %d of %d messages%s"
        .formatted(
            partition.partition(),
            partition.state() == null ? "of another instance" : partition.state(),
            partition.position().orElse(0),
            partition.end().orElse(0),
            waiting == null ? "" : ", waits for " + waiting);
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
