/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import io.forebay.spring.hosting.OwnService;
import java.util.List;

/** The own services of an application under test; a bean of a {@link ForebayTest}. Thread-safe. */
public final class ServicesUnderTest {

  private final List<OwnService<?, ?>> services;
  private final TestClock clock;

  ServicesUnderTest(List<OwnService<?, ?>> services, TestClock clock) {
    this.services = services;
    this.clock = clock;
  }

  /**
   * Waits until every call of every service is performed, or given up, and every answer and result
   * is received. Moves the clock if a service waits before it retries a call.
   *
   * @throws org.awaitility.core.ConditionTimeoutException if that takes longer than 30 s; it says
   *     what it awaits
   */
  public void awaitIdle() {
    ServiceWait.until(
        services,
        () -> {
          retryNow();
          return isIdle();
        });
  }

  void retryNow() {
    services.forEach(service -> ServiceWait.retryNow(service, clock));
  }

  /** A receiver may call another service during the check; then it counts for nothing. */
  private boolean isIdle() {
    long before = calls();
    return services.stream()
            .allMatch(service ->
                ServiceWait.isPerformed(service)
                    && service.hasDeliveredAll()
                    && service.pendingResults() == 0)
        && calls() == before;
  }

  /** How many calls were ever sent. */
  private long calls() {
    return services.stream()
        .flatMap(service -> service.view().partitions().stream())
        .mapToLong(partition -> partition.end().orElse(0))
        .sum();
  }
}
