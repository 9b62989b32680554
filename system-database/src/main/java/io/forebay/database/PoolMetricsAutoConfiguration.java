/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Arrays;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Meters of the connection pools, in the registry of their application until they are closed. */
@AutoConfiguration
@ConditionalOnClass({HikariDataSource.class, MeterBinder.class})
class PoolMetricsAutoConfiguration {

  /** Creates no lazy bean. A pool can have one registry only. */
  @Bean
  MeterBinder forebayPoolMetrics(ConfigurableListableBeanFactory beans) {
    return registry ->
        Arrays.stream(beans.getBeanNamesForType(Pools.Owner.class, false, false))
            .filter(beans::containsSingleton)
            .flatMap(name -> beans.getBean(name, Pools.Owner.class).pools())
            .filter(it -> it.getMetricRegistry() == null && it.getMetricsTrackerFactory() == null)
            .forEach(it -> it.setMetricRegistry(registry));
  }
}
