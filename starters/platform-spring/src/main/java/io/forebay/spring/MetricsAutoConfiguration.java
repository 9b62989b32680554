/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.Services;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

@AutoConfiguration(after = OperationsAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
class MetricsAutoConfiguration {

  @Bean
  MeterBinder forebayServiceMetrics(Services services) {
    return new ServiceMetrics(services);
  }
}
