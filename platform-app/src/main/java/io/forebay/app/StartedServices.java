/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** The state of the services after the start. */
@Component
final class StartedServices {

  /**
   * How long the start waits for the state of its services; a service that waits for something logs
   * that itself.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final long LOOK_NANOS = 20_000_000;

  private final ObjectProvider<Services> services;

  StartedServices(ObjectProvider<Services> services) {
    this.services = services;
  }

  /** One sentence for each failed service. */
  List<String> failed() {
    List<ServiceOperations> all = services.stream().flatMap(each -> each.all().stream()).toList();
    long begin = System.nanoTime();
    while (all.stream().anyMatch(service -> isIn(ServiceState.Phase.STARTING, service))
        && System.nanoTime() - begin < PATIENCE.toNanos()) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return all.stream()
        .filter(service -> isIn(ServiceState.Phase.FAILED, service))
        .map(service ->
            "Service %s has failed: %s".formatted(service.name(), service.view().state().reason()))
        .toList();
  }

  private static boolean isIn(ServiceState.Phase phase, ServiceOperations service) {
    return service.view().state().phase() == phase;
  }
}
