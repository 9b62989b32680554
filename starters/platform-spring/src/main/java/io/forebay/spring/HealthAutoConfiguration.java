/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceView;
import io.forebay.operations.Services;
import io.forebay.report.ServiceReport;
import io.forebay.report.ServiceReports;
import io.forebay.report.ServiceWatch;
import io.forebay.service.ServiceState;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * The health of each service, under {@code forebay}; and the health indicator {@code acceptance},
 * which {@link ReadinessDefaults} adds to the readiness group: the process is ready if it accepts
 * messages.
 */
@AutoConfiguration(after = ReportAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
class HealthAutoConfiguration {

  private static final Health NOT_SAMPLED = Health.unknown().build();

  /** An indicator for each service, from its report of the last second. */
  @Bean
  @ConditionalOnMissingBean(name = "forebayHealthContributor")
  HealthContributor forebayHealthContributor(ServiceReports reports) {
    Map<String, HealthIndicator> indicators = new LinkedHashMap<>();
    for (ServiceWatch watch : reports.watches()) {
      indicators.put(
          watch.name().replace('/', '_'),
          () ->
              reports
                  .latest(watch.name())
                  .map(HealthAutoConfiguration::health)
                  .orElse(NOT_SAMPLED));
    }
    return CompositeHealthContributor.fromMap(indicators);
  }

  private static Health health(ServiceReport report) {
    Health.Builder health =
        report.phase() == ServiceState.Phase.FAILED
            ? Health.down()
            : report.view().accepts() ? Health.up() : Health.outOfService();
    return health
        .withDetail("state", report.state())
        .withDetail("behindSeconds", Figure.number(report.lag().behind().map(Lag::seconds)))
        .withDetail("limitSeconds", report.limit().toSeconds())
        .build();
  }

  @Bean
  @ConditionalOnMissingBean(name = "acceptanceHealthIndicator")
  HealthIndicator acceptanceHealthIndicator(Services services) {
    return () -> {
      Health.Builder health = Health.up();
      for (ServiceOperations service : services.all()) {
        ServiceView view = service.view();
        health.withDetail(service.name(), view.state().phase());
        if (!view.accepts()) {
          health.outOfService();
        }
      }
      return health.build();
    };
  }
}
