/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.CallCollector;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Metrics of the collector beans. */
@AutoConfiguration(after = ChunksAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(CallCollector.class)
class ChunkMetricsAutoConfiguration {

  @Bean
  MeterBinder forebayChunkMetrics(Map<String, CallCollector> collectors) {
    return new ChunkMetrics(collectors);
  }
}
