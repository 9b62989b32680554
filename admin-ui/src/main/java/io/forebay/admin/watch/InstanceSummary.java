/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A summary of an instance, shown by all instances.
 *
 * @param self whether it is this instance
 * @param services each with its name, state and figures; those of another instance as it reported
 *     them
 */
record InstanceSummary(
    String name, String backend, Instant seenAt, long seq, boolean self, List<?> services) {

  /** A service of this instance. */
  record Service(
      String name,
      Severity severity,
      ServiceReport.State state,
      Figure<Duration> behind,
      Figure<Double> accepted,
      Figure<Double> performed) {

    static Service of(Snapshot.Service service) {
      ServiceReport report = service.report();
      return new Service(
          report.name(),
          service.severity(),
          report.state(),
          report.lag().behind(),
          report.accepted(),
          report.performed());
    }
  }
}
