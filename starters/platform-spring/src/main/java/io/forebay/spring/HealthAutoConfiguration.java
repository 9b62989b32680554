/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceView;
import io.forebay.operations.Services;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * The health indicator {@code acceptance}, which {@link ReadinessDefaults} adds to the readiness
 * group: the process is ready if it accepts messages.
 */
@AutoConfiguration(after = OperationsAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
class HealthAutoConfiguration {

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
