/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.stored.StoredQueues;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

@AutoConfiguration(afterName = "io.forebay.spring.PlatformAutoConfiguration")
@ConditionalOnProperty(name = "forebay.backend", havingValue = "chronicle", matchIfMissing = true)
@EnableConfigurationProperties(ChronicleProperties.class)
class ChronicleAutoConfiguration {

  private static final Logger log = LoggerFactory.getLogger(ChronicleAutoConfiguration.class);

  @Bean
  @ConditionalOnMissingBean(QueueBackend.class)
  ChronicleBackend forebayChronicleBackend(DataDirectory data, ChronicleProperties properties) {
    return ChronicleBackend.open(data.path(), properties.options());
  }

  /**
   * Services open their queues when their beans are created. Does not create the backend: a command
   * may need none.
   */
  @Bean
  SmartInitializingSingleton forebayChronicleServices(ConfigurableListableBeanFactory beans) {
    return () ->
        Stream.of(beans.getBeanNamesForType(ChronicleBackend.class, true, false))
            .filter(beans::containsSingleton)
            .map(name -> beans.getBean(name, ChronicleBackend.class))
            .flatMap(backend -> backend.withoutQueue().stream())
            .forEach(service ->
                log.warn(
                    "No effect of forebay.chronicle.services.{}: no service {} has opened a queue",
                    service,
                    service));
  }

  @Bean
  @ConditionalOnBean(ChronicleBackend.class)
  StoredQueues forebayStoredQueues(DataDirectory data) {
    return new ChronicleStoredQueues(data.path());
  }
}
