/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Ready means accepting: for the group readiness, under the name acceptance. */
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
