/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.kafka.meters.ClientMeters;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.queue.stored.StoredQueues;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** Queues on Kafka, if they are configured or no queues on disk are on the class path. */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.PlatformAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration"
    })
@ConditionalOnProperty(name = "forebay.backend", havingValue = "kafka", matchIfMissing = true)
@ConditionalOnMissingBean(QueueBackend.class)
@EnableConfigurationProperties(KafkaProperties.class)
class KafkaAutoConfiguration {

  private static final boolean MICROMETER =
      ClassUtils.isPresent(
          "io.micrometer.core.instrument.binder.MeterBinder",
          KafkaAutoConfiguration.class.getClassLoader());

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Metrics {

    @Bean
    ClientMeters forebayKafkaMetrics() {
      return new ClientMeters();
    }
  }

  @Bean
  KafkaBackend forebayKafkaBackend(
      KafkaProperties properties, ObjectProvider<SenderKeys> storedKeys, BeanFactory beans) {
    KafkaBackend.Options options =
        properties.options(
            Brokers.of(properties, beans), storedKeys.getIfAvailable(() -> SenderKeys.NONE), false);
    if (MICROMETER) {
      options = options.withMeters(beans.getBean(ClientMeters.class));
    }
    return KafkaBackend.open(options);
  }

  @Bean
  StoredQueues forebayStoredQueues(KafkaBackend backend) {
    return backend.stored();
  }
}
