/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.http.limit.Callers;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Metrics of the door; see {@code docs/metrics.md}. */
@AutoConfiguration(after = DoorAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(Callers.class)
class DoorMetricsAutoConfiguration {

  @Bean
  MeterBinder forebayDoorMetrics(Callers callers) {
    return callers::bindMetrics;
  }
}
