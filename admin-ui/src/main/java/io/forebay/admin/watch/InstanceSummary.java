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

/**
 * A summary of an instance, shown by all instances.
 *
 * @param self whether it is this instance
 * @param count how many services it has
 * @param services the most urgent ones; those of another instance as it reported them
 */
record InstanceSummary(
    String name, String backend, Instant seenAt, boolean self, int count, List<?> services) {

  private static final int MOST = 5;

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
        services.stream()
            .limit(MOST)
            .map(it ->
                new Service(
                    it.report().name(),
                    it.severity(),
                    it.report().state(),
                    it.report().lag().behind()))
            .toList());
  }
}
