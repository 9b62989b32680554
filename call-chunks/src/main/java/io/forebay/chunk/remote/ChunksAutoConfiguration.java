/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkedService;
import io.forebay.queue.QueueBackend;
import io.forebay.trace.Tracing;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/**
 * Runs each {@link ListService} bean between two queues of the active backend, and injects services
 * with {@link io.forebay.chunk.Chunked}.
 */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.MemoryAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration",
      "io.forebay.kafka.KafkaAutoConfiguration"
    })
@EnableConfigurationProperties(ChunksProperties.class)
class ChunksAutoConfiguration {

  @Bean
  static QueuedServices forebayQueuedServices() {
    return new QueuedServices();
  }

  /** Created before everything that calls a service, and closed after it. */
  @Bean
  @Lazy
  ChunkedServices forebayChunkedServices(
      ObjectProvider<ListService<?, ?>> services,
      ObjectProvider<QueuedService> queued,
      ObjectProvider<QueueBackend> backend,
      CallCollector forebayCalls,
      ChunksProperties properties) {
    return new ChunkedServices(
        services.stream(), queued.stream(), backend.getIfAvailable(), forebayCalls, properties);
  }

  /** Runs before anything is started. */
  @Bean
  SmartInitializingSingleton forebayConfiguredChunkServices(
      ChunksProperties properties, ObjectProvider<ListService<?, ?>> services) {
    return () -> properties.mustName(services.stream().map(ListService::name).toList());
  }

  /** Collects the calls that no step makes. */
  @Bean
  CallCollector forebayCalls(ObjectProvider<Tracing> tracing) {
    return new CallCollector(tracing.getIfAvailable(() -> Tracing.NONE));
  }

  /** A bean for each injection point, which has the name and the types of its service. */
  @Bean
  @Scope(BeanDefinition.SCOPE_PROTOTYPE)
  ChunkedService<?, ?> forebayChunkedService(DependencyDescriptor point, ChunkedServices services) {
    return services.at(point);
  }
}
