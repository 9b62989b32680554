/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.queue.stored.StoredQueues;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

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

  @Bean
  @ConditionalOnProperty("forebay.kafka.dev.enabled")
  DevBroker forebayKafkaDevBroker(KafkaProperties properties, DataDirectory data) {
    return DevBroker.start(properties.dev(), data.path().resolve("broker"));
  }

  @Bean
  KafkaBackend forebayKafkaBackend(
      KafkaProperties properties,
      ObjectProvider<DevBroker> dev,
      ObjectProvider<SenderKeys> storedKeys,
      BeanFactory beans) {
    DevBroker broker = dev.getIfAvailable();
    SenderKeys stored = storedKeys.getIfAvailable(() -> SenderKeys.NONE);
    return broker == null
        ? KafkaBackend.open(properties.options(Brokers.of(properties, beans), stored, false))
        : KafkaBackend.alone(
            properties.options(Map.of("bootstrap.servers", broker.bootstrap()), stored, false));
  }

  @Bean
  StoredQueues forebayStoredQueues(KafkaBackend backend) {
    return backend.stored();
  }
}
