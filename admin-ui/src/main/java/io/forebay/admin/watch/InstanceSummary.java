/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.operations.Instance;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A summary of an instance, shown by all instances.
 *
 * @param self whether it is this instance
 * @param count how many services it has
 * @param bad how many of them are bad
 * @param worst the most urgent one; that of another instance as it reported it; null if there is
 *     none
 */
record InstanceSummary(
    String name,
    String backend,
    Instant seenAt,
    boolean self,
    int count,
    long bad,
    @Nullable Object worst) {

  /** A service of this instance. */
  record Service(
      String name, Severity severity, ServiceReport.State state, Figure<Duration> behind) {}

  /**
   * Summarises this instance.
   *
   * @param services the most urgent first
   */
  static InstanceSummary of(Instance self, Instant now, List<Snapshot.Service> services) {
    return new InstanceSummary(
        self.name(),
        self.backend(),
        now,
        true,
        services.size(),
        services.stream().filter(it -> it.severity() == Severity.BAD).count(),
        services.isEmpty() ? null : service(services.getFirst()));
  }

  private static Service service(Snapshot.Service it) {
    ServiceReport report = it.report();
    return new Service(report.name(), it.severity(), report.state(), report.lag().behind());
  }
}
