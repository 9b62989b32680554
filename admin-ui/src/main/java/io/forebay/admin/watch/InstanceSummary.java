/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Figure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * An instance, as every instance shows it.
 *
 * @param self whether it is the one that tells
 * @param services each with its name, state and figures; of another instance as it wrote them
 */
record InstanceSummary(
    String name, String backend, Instant seenAt, long seq, boolean self, List<?> services) {

  /** A service among those of this instance. */
  record Service(
      String name,
      Severity severity,
      String state,
      Figure<Duration> behind,
      Figure<Double> accepted,
      Figure<Double> performed) {

    static Service of(Snapshot.Service service) {
      return new Service(
          service.name(),
          service.severity(),
          service.state(),
          service.behind(),
          service.accepted(),
          service.performed());
    }
  }
}
